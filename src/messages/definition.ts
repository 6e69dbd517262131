/** Service definitions for grpc-js servers and clients, from the generated descriptors. */
import {
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import type { MethodDefinition, ServiceDefinition } from "@grpc/grpc-js";

/** The definition of a service. The keys are the method names of the .proto in lowerCamelCase. */
export function definitionOf(service: DescService): ServiceDefinition {
  const methods = service.methods.map((method) => [method.localName, methodDefinitionOf(method)]);
  return Object.fromEntries(methods);
}

/** The definition of one method. */
export function methodDefinitionOf<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethod & { readonly input: Input; readonly output: Output },
): MethodDefinition<MessageShape<Input>, MessageShape<Output>> {
  const request = codecOf(method.input);
  const response = codecOf(method.output);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    originalName: method.localName,
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: request.write,
    requestDeserialize: request.read,
    responseSerialize: response.write,
    responseDeserialize: response.read,
  };
}

function codecOf<Desc extends DescMessage>(schema: Desc) {
  return {
    read: (bytes: Buffer): MessageShape<Desc> => fromBinary(schema, bytes),
    write: (message: MessageShape<Desc>): Buffer => {
      const bytes = toBinary(schema, message);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    },
  };
}
