// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>

#include <google/protobuf/descriptor.h>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/request/form/field_rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/kinds.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"

// schema: the kinds of request, or the keys of one, as the options of the .proto have them.
namespace kaname::cli {
namespace {

using google::protobuf::Descriptor;
using nlohmann::json;
using request::FieldRow;

struct SchemaOptions {
    std::string kind;
};

/// A value of the key `schema` and the message that it stands for.
struct Schema {
    std::string name;  ///< kaname.v1.VoxelWaves
    std::string kind;  ///< VoxelWaves
    const Descriptor* type;
};

std::vector<Schema> all_schemas() {
    std::vector<Schema> all;
    for (const request::Kind* kind : request::built_in_kinds().all()) {
        for (const std::string& name : kind->schemas()) {
            all.push_back(
                {name, name.substr(name.rfind('.') + 1), kind->prototype().GetDescriptor()});
        }
    }
    return all;
}

/// Letters of a kind whatever their case, without what parts its words: voxel_waves is VoxelWaves.
std::string plain(std::string word) {
    std::erase_if(word, [](char c) { return c == '_' || c == '-'; });
    std::ranges::transform(word, word.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

Schema schema_of(const std::string& kind) {
    std::vector<std::string> known;
    for (const Schema& schema : all_schemas()) {
        if (plain(kind) == plain(schema.kind) || kind == schema.name) {
            return schema;
        }
        known.push_back(schema.kind);
    }
    const std::string near = request::nearest(kind, known);
    throw Error(ErrorCode::InvalidArgument,
                "KIND: must be " + request::join_or(known) + ", got " + request::quote(kind) +
                    (near.empty() ? "" : "; did you mean " + near + "?"));
}

/// A cell of a Markdown table.
std::string cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.insert(at, 1, '\\');
    }
    return text.empty() ? "" : text + " ";
}

std::string units_text(const FieldRow& row) {
    std::string others;
    for (const std::string& unit : row.other_units) {
        others += (others.empty() ? " (" : ", ") + unit;
    }
    return row.unit + others + (others.empty() ? "" : ")");
}

void print_keys(const Schema& schema, const std::vector<FieldRow>& rows) {
    std::cout
        << "Keys of `schema: " << schema.name
        << "`. A key's unit is its ending; the endings in brackets may stand in its place.\n\n"
        << "| key | type | unit | values | default | meaning |\n|---|---|---|---|---|---|\n";
    for (const FieldRow& row : rows) {
        std::cout << "| `" << row.key << "` | " << cell(row.type) << "| " << cell(units_text(row))
                  << "| " << cell(row.values) << "| "
                  << cell(row.required ? "must be given" : row.fallback) << "| "
                  << cell(row.meaning) << "|\n";
    }
}

json json_of(const FieldRow& row) {
    return {{"key", row.key},          {"type", row.type},
            {"unit", row.unit},        {"other_units", row.other_units},
            {"values", row.values},    {"required", row.required},
            {"default", row.fallback}, {"meaning", row.meaning}};
}

int list_kinds(const Context& context) {
    json kinds = json::array();
    for (const Schema& schema : all_schemas()) {
        kinds.push_back({{"kind", schema.kind}, {"schema", schema.name}});
        if (!context.json) {
            std::cout << schema.kind << "\n";
        }
    }
    if (context.json) {
        print_json({{"kinds", kinds}});
    }
    return run::kExitOk;
}

int schema_command(const SchemaOptions& options, const Context& context) {
    if (options.kind.empty()) {
        return list_kinds(context);
    }
    const Schema schema = schema_of(options.kind);
    const std::vector<FieldRow> rows = request::field_table(*schema.type);
    if (!context.json) {
        print_keys(schema, rows);
        return run::kExitOk;
    }
    json keys = json::array();
    for (const FieldRow& row : rows) {
        keys.push_back(json_of(row));
    }
    print_json({{"schema", schema.name}, {"keys", keys}});
    return run::kExitOk;
}

}  // namespace

void add_schema(Command& app, Context& context) {
    const auto options = std::make_shared<SchemaOptions>();
    add_command<SchemaOptions>(app, context, "schema",
                               "Print the keys of a kind of request: units, values, defaults",
                               options, schema_command)
        .add_options({{"KIND", &options->kind,
                       "GreensBatch, Inversion, ...; without it, the kinds are listed"}});
}

}  // namespace kaname::cli
