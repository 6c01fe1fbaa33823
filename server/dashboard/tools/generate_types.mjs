// SPDX-License-Identifier: BSD-3-Clause
// TypeScript types of proto/kaname/v1 as the server writes them in JSON (docs/user/http.md: names as in
// the .proto files, 64-bit integers as text, defaults left out), into src/gen/kaname.ts. They serve the
// type check alone: no line of them is in the page.
// Usage: node generate_types.mjs [root of the repository]
import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const page = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const root = path.resolve(process.argv[2] ?? path.join(page, "../.."));
const [REPEATED, ENUM, MESSAGE] = [3, 14, 11]; // of FieldDescriptorProto
const SCALARS = {
  1: "number", 2: "number", 3: "string", 4: "string", 5: "number", 6: "string", 7: "number",
  8: "boolean", 9: "string", 12: "string", 13: "number", 15: "number", 16: "string", 17: "number",
  18: "string",
};
const WELL_KNOWN = {
  ".google.protobuf.Struct": "Record<string, unknown>",
  ".google.protobuf.Any": '{ "@type": string; [key: string]: unknown }',
  ".google.protobuf.Empty": "Record<string, never>",
  ".google.protobuf.ListValue": "unknown[]",
};

/** ".kaname.v1.Worker.State" -> "Worker_State". */
const short = (name) => WELL_KNOWN[name] ?? name.replace(/^\.kaname\.v1\./, "").replaceAll(".", "_");

function type_of(field, maps) {
  if (field.type === MESSAGE && maps.has(field.typeName)) {
    return `Record<string, ${type_of(maps.get(field.typeName), maps)}>`;
  }
  const known = field.type === MESSAGE || field.type === ENUM;
  const one = known ? short(field.typeName) : SCALARS[field.type];
  return field.label === REPEATED ? `${one}[]` : one;
}

function write_enum(prefix, item, lines) {
  const words = item.value.map((value) => JSON.stringify(value.name)).join(" | ");
  lines.push(`export type ${prefix}${item.name} = ${words};`);
}

function write_message(prefix, scope, item, lines) {
  const maps = new Map(
    item.nestedType
      .filter((nested) => nested.options?.mapEntry)
      .map((nested) => [`${scope}.${item.name}.${nested.name}`, nested.field[1]]),
  );
  const fields = item.field.map((field) => `  ${field.name}?: ${type_of(field, maps)};`);
  lines.push(`export interface ${prefix}${item.name} {`, ...fields, "}");
  for (const nested of item.enumType) write_enum(`${prefix}${item.name}_`, nested, lines);
  for (const nested of item.nestedType) {
    if (!nested.options?.mapEntry) {
      write_message(`${prefix}${item.name}_`, `${scope}.${item.name}`, nested, lines);
    }
  }
}

function write_calls(name, files, lines, wanted) {
  lines.push(`export interface ${name} {`);
  for (const file of files) {
    for (const service of file.service) {
      for (const method of service.method.filter(wanted)) {
        const types = `{ request: ${short(method.inputType)}; reply: ${short(method.outputType)} }`;
        lines.push(`  "${service.name}/${method.name}": ${types};`);
      }
    }
  }
  lines.push("}");
}

const work = fs.mkdtempSync(path.join(os.tmpdir(), "kaname-types-"));
try {
  const set = path.join(work, "set.pb");
  const protos = fs.readdirSync(path.join(root, "proto/kaname/v1")).filter((f) => f.endsWith(".proto"));
  execFileSync(
    "protoc",
    [`-I${root}`, `--descriptor_set_out=${set}`, ...protos.map((p) => `proto/kaname/v1/${p}`)],
    { cwd: root, stdio: "inherit" },
  );
  const files = fromBinary(FileDescriptorSetSchema, fs.readFileSync(set)).file;
  const lines = ["// SPDX-License-Identifier: BSD-3-Clause", "// Made by tools/generate_types.mjs."];
  for (const file of files) {
    for (const item of file.enumType) write_enum("", item, lines);
    for (const item of file.messageType) write_message("", ".kaname.v1", item, lines);
  }
  write_calls("Calls", files, lines, (m) => !m.clientStreaming && !m.serverStreaming);
  write_calls("Streams", files, lines, (m) => !m.clientStreaming && m.serverStreaming);
  fs.mkdirSync(path.join(page, "src/gen"), { recursive: true });
  fs.writeFileSync(path.join(page, "src/gen/kaname.ts"), lines.join("\n") + "\n");
} finally {
  fs.rmSync(work, { recursive: true });
}
