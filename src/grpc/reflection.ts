/** gRPC reflection, v1 and v1alpha, so that tools such as grpcurl need no .proto files. */
import { type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { service as healthService } from "grpc-health-check";

/** The methods that reflection adds, as "package.Service/Method". */
export const REFLECTION_METHODS = [
  "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
] as const;

export function addReflection(server: Server, services: readonly DescService[]): void {
  const protos = filesOf(services).map(({ proto }) =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, proto)),
  );
  const files: ConstructorParameters<typeof ReflectionService>[0] = {
    svc: { format: "Protocol Buffer 3 DescriptorProto", type: {}, fileDescriptorProtos: protos },
  };
  const health = healthService["Check"]?.requestType;
  if (health !== undefined && "fileDescriptorProtos" in health) files["health"] = health;
  new ReflectionService(files).addToServer(server);
}

/** The files of the services and all their imports. */
function filesOf(services: readonly DescService[]): readonly DescFile[] {
  const files = new Set<DescFile>();
  const add = (file: DescFile): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const dependency of file.dependencies) add(dependency);
  };
  for (const { file } of services) add(file);
  return [...files];
}
