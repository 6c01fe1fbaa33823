// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/schema_of_file.hpp"

#include "client/cli/typed.hpp"
#include "proto/spec/form/text.hpp"
#include "proto/spec/form/yaml_reader.hpp"
#include "proto/spec/inversion/inversion_kind.hpp"
#include "proto/spec/kinds.hpp"
#include "solvers/base/error.hpp"

namespace kaname::cli {
namespace {

const spec::Kind* kind_with_schema(const std::string& file, std::string& schema) {
    schema = spec::schema_of_yaml(spec::read_text_file(file), file);
    try {
        return schema.empty() ? nullptr : &spec::built_in_kinds().of_schema(schema);
    } catch (const ValidationError&) {
        return nullptr;
    }
}

}  // namespace

const spec::Kind* kind_of_file(const std::string& file) {
    std::string schema;
    return kind_with_schema(file, schema);
}

void refuse_inversion(const std::string& file, const std::string& program) {
    std::string schema;
    if (kind_with_schema(file, schema) == &spec::inversion_kind()) {
        throw Error(ErrorCode::InvalidArgument, "schema: must be of Green's functions, got " +
                                                    schema + "; `" + program + " invert " +
                                                    shell_word(file) + "` finds slip");
    }
}

void require_inversion(const std::string& file, const std::string& program) {
    std::string schema;
    const spec::Kind* kind = kind_with_schema(file, schema);
    if (kind != nullptr && kind != &spec::inversion_kind()) {
        throw Error(ErrorCode::InvalidArgument,
                    "schema: must be " + spec::inversion_kind().schemas().front() + ", got " +
                        schema + "; `" + program + " run --local " + shell_word(file) +
                        "` computes that");
    }
}

}  // namespace kaname::cli
