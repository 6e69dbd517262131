/**
 * Narrows a served description to this test's installation, in OpenAPI 3.1: adds facts of the installation that the
 * contract cannot contain, and rules that OpenAPI 3.0 cannot express. The server must accept requests generated from
 * it, and refuse all others.
 */

/** Facts about the installation. */
export interface Facts {
  /** Files that can be scored. */
  readonly pair: { readonly reference: string; readonly distorted: string };
  readonly frames: number;
}

interface Schema {
  [keyword: string]: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

interface Parameter {
  readonly name: string;
  schema: Schema;
}

interface Operation {
  readonly operationId?: string;
  parameters?: Parameter[];
  readonly responses?: Readonly<Record<string, { readonly content?: Record<string, { schema: Schema }> }>>;
}

interface Description {
  openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Models that every node in this test has. */
const MODELS = ["vmaf_v0.6.1", "vmaf_v0.6.1neg"];

/** Schemas of request bodies and of objects in them. */
const REQUESTS = [
  ...["ScoreRequest", "JobSpec", "RawVideo", "Mirror", "JobBatch", "RevokeRequest"],
  ...["UpdateJobRequest", "JobFilter", "CancelJobsRequest", "DeleteJobsRequest"],
  ...["FindingsPolicy", "DiagnoseRequest"],
  ...["ComparisonRequest", "ComparisonPair", "ComparisonSettings", "AddCellsRequest", "RetryCellsRequest"],
];

const LABEL_KEYS = { pattern: "^[A-Za-z0-9._/-]{1,63}$" };
/** Requires a label that is not null: null counts as absent. */
const SOME_LABEL = { not: { additionalProperties: { type: "null" } } };

export function narrowed(given: object, facts: Facts): object {
  const description = withPair(given, facts) as Description;
  description.openapi = "3.1.0";
  const { schemas } = description.components;
  for (const name of ["ScoreRequest", "JobSpec", "ComparisonSettings"]) narrowSpec(schemas[name]?.properties);
  narrowPairs(schemas["ComparisonRequest"]?.properties);
  narrowPairs(schemas["AddCellsRequest"]?.properties);
  narrowFrames(schemas["StillsRequest"]?.properties, facts);
  narrowFrames(schemas["ClipsRequest"]?.properties, facts);
  narrowTimes(schemas["RevokeRequest"]?.properties);
  for (const name of ["JobSpec", "ComparisonSettings"]) narrowLabels(schemas[name]?.properties?.["labels"]);
  narrowLabels(schemas["JobFilter"]?.properties?.["labels"]);
  narrowLabels(schemas["UpdateJobRequest"]?.properties?.["setLabels"]);
  for (const { properties } of schemas["UpdateJobRequest"]?.anyOf ?? [])
    Object.assign(properties?.["setLabels"] ?? {}, SOME_LABEL);
  for (const name of ["CancelJobsRequest", "DeleteJobsRequest"]) {
    for (const one of schemas[name]?.oneOf ?? []) narrowChoice(one, schemas["JobFilter"]);
  }
  for (const name of REQUESTS) permitNulls(schemas[name]);
  const operations = Object.values(description.paths).flatMap((item) => Object.values(item));
  for (const operation of operations) narrowOperation(operation);
  return description;
}

/** Replaces the pair in the examples by an existing one, and a second encode by the reference itself. */
function withPair(description: object, { pair }: Facts): unknown {
  const text = JSON.stringify(description)
    .replaceAll(/"\/media\/reference\.\w+"/g, JSON.stringify(pair.reference))
    .replaceAll(/"\/media\/distorted\.\w+"/g, JSON.stringify(pair.distorted))
    .replaceAll(/"\/media\/distorted-\w+\.\w+"/g, JSON.stringify(pair.reference));
  return JSON.parse(text);
}

function narrowSpec(properties: Schema["properties"]): void {
  if (properties === undefined) return;
  // Only the installation knows which models exist.
  properties["model"] = { ...properties["model"], enum: MODELS };
  properties["models"] = { ...properties["models"], items: { type: "string", enum: MODELS } };
  // Nor does the description say which scorers exist; an empty version stands for the default one.
  properties["scorerVersion"] = { ...properties["scorerVersion"], enum: [""] };
  // The metrics of a gate are those of the models and features.
  if (properties["gates"])
    properties["gates"] = { type: "array", maxItems: 1, items: { type: "string", enum: ["vmaf.mean=1"] } };
  // Which frames and areas a pair has is not described either, nor that runs follow each other, nor that an estimate
  // excludes subsampling, and a diagnosis most members.
  for (const name of ["offset", "start", "duration", "runs", "crop", "estimate", "diagnoseOnly"])
    delete properties[name];
  // Versions are only for objects of a storage, and videos are paths here.
  for (const name of ["referenceVersion", "distortedVersion"]) delete properties[name];
}

/** Leaves out what a schema cannot say of a list: that no pair is there twice, and that the anchor is one of the ladders. */
function narrowPairs(properties: Schema["properties"]): void {
  delete properties?.["anchor"];
  Object.assign(properties?.["pairs"] ?? {}, { maxItems: 1 });
}

/** Adds the rule for label keys: OpenAPI 3.0 cannot restrict member names. */
function narrowLabels(labels: Schema | undefined): void {
  if (labels === undefined) return;
  labels["propertyNames"] = LABEL_KEYS;
  if (labels["minProperties"] === 1) Object.assign(labels, SOME_LABEL);
  permitNull(labels["additionalProperties"] as Schema);
}

/** Narrows one way to select jobs. A null condition is absent, and a null flag is not set. */
function narrowChoice({ properties = {} }: Schema, filters: Schema | undefined): void {
  const names = Object.keys(filters?.properties ?? {});
  const { filter = {}, ...flags } = properties;
  if (filter["minProperties"] === 1) {
    filter["type"] = "object";
    filter.anyOf = names.map((name) => ({
      required: [name],
      properties: { [name]: { not: { type: "null" } } },
    }));
  } else {
    delete filter["maxProperties"];
    filter.properties = Object.fromEntries(names.map((name) => [name, { type: "null" }]));
  }
  for (const flag of Object.values(flags)) {
    if ((flag["enum"] as unknown[])[0] === false) flag["enum"] = [false, null];
  }
}

/** Permits null, which counts as absent: the contract states that in prose, once for all members. */
function permitNulls(schema: Schema | undefined): void {
  if (schema?.items !== undefined) permitNulls(schema.items);
  // The members that an alternative requires must not be null.
  for (const one of [...(schema?.oneOf ?? []), ...(schema?.anyOf ?? [])]) {
    const given = (one.required ?? []).map((name) => [
      name,
      { not: { type: "null" }, ...one.properties?.[name] },
    ]);
    one.properties = { ...one.properties, ...Object.fromEntries(given) };
  }
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    permitNulls(property);
    if (schema?.required?.includes(name) !== true) permitNull(property);
  }
}

function permitNull(schema: Schema): void {
  const { $ref } = schema;
  if ($ref !== undefined) {
    delete schema["$ref"];
    schema["anyOf"] = [{ $ref }, { type: "null" }];
    return;
  }
  if (schema["allOf"] !== undefined) {
    schema["anyOf"] = [{ allOf: schema["allOf"] }, { type: "null" }];
    delete schema["allOf"];
    return;
  }
  schema["type"] = [schema["type"], "null"];
  if (schema["enum"] !== undefined) schema["enum"] = [...(schema["enum"] as unknown[]), null];
}

/** Limits frame numbers to those of the pair. */
function narrowFrames(properties: Schema["properties"], { frames }: Facts): void {
  Object.assign(properties?.["frames"]?.items ?? {}, { maximum: frames - 1 });
}

/** Limits issuedBefore to the past and expireTime to the future. */
function narrowTimes(properties: Schema["properties"]): void {
  Object.assign(properties?.["issuedBefore"] ?? {}, { enum: ["2026-01-01T00:00:00Z"] });
  Object.assign(properties?.["expireTime"] ?? {}, { enum: ["2999-01-01T00:00:00Z"] });
}

function narrowOperation(operation: Operation): void {
  const { operationId, parameters, responses = {} } = operation;
  for (const parameter of parameters ?? []) narrowParameter(parameter);
  for (const { content } of Object.values(responses)) describeEvents(content?.["text/event-stream"]);
  // The same key with every body would be refused after the first. POST /v1/jobs tests keys, this operation tests
  // bodies.
  if (operationId === "score" && parameters !== undefined)
    operation.parameters = parameters.filter(({ name }) => name !== "Idempotency-Key");
}

function narrowParameter({ name, schema }: Parameter): void {
  // Valid tokens come only from a previous page; an empty token is the first page.
  if (name === "pageToken") schema["enum"] = [""];
  // A schema cannot require that two labels have different keys.
  if (name === "label") schema["maxItems"] = 1;
}

/**
 * Describes the events of a stream. In OpenAPI 3.0 a stream is a string; Schemathesis applies its schema to each event,
 * as in later versions.
 */
function describeEvents(stream: { schema: Schema } | undefined): void {
  if (stream === undefined) return;
  const text = { type: "string" };
  stream.schema = {
    type: "object",
    required: ["event", "data"],
    properties: { id: text, event: text, data: text },
    additionalProperties: false,
  };
}
