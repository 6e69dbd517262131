/** gRPC reflection, v1 and v1alpha, so that tools such as grpcurl need no .proto files. */
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { Server } from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { service as healthService } from "grpc-health-check";
import { file_svc_v1_scoring } from "../gen/proto/svc/v1/scoring_pb.ts";

export function addReflection(server: Server): void {
  const scoring = toBinary(FileDescriptorProtoSchema, file_svc_v1_scoring.proto);
  const files: ConstructorParameters<typeof ReflectionService>[0] = {
    scoring: {
      format: "Protocol Buffer 3 DescriptorProto",
      type: {},
      fileDescriptorProtos: [Buffer.from(scoring)],
    },
  };
  const health = healthService["Check"]?.requestType;
  if (health !== undefined && "fileDescriptorProtos" in health) files["health"] = health;
  new ReflectionService(files).addToServer(server);
}
