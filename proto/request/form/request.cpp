// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/request.hpp"

#include <algorithm>

#include "proto/request/form/json.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

std::size_t TaskGraph::n_sources() const {
    return static_cast<std::size_t>(std::ranges::count(tasks, true, &Task::source));
}

using google::protobuf::Message;

std::unique_ptr<Request> Kind::check_read(const Message& message, YamlReading reading) const {
    if (!reading.violations.empty()) {
        throw ValidationError(std::move(reading.violations));
    }
    return check(message);
}

namespace {

std::string known_schemas(const std::vector<const Kind*>& kinds) {
    std::string known;
    for (const Kind* kind : kinds) {
        for (const std::string& one : kind->schemas()) {
            known += (known.empty() ? "" : ", ") + one;
        }
    }
    return known;
}

}  // namespace

const Kind& Kinds::of_schema(const std::string& schema) const {
    for (const Kind* kind : kinds_) {
        const std::vector<std::string> known = kind->schemas();
        if (std::ranges::find(known, schema) != known.end()) {
            return *kind;
        }
    }
    const auto meant = std::ranges::find_if(kinds_, [&](const Kind* kind) {
        return std::ranges::any_of(
            kind->schemas(), [&](const std::string& one) { return one.ends_with("." + schema); });
    });
    throw ValidationError(
        {{"schema",
          "must be one of " + known_schemas(kinds_) + ", got " + quote(schema) +
              (meant == kinds_.end() ? "" : "; did you mean kaname.v1." + schema + "?")}});
}

const Kind& Kinds::of_type(const std::string& type, const std::string& field) const {
    std::string known;
    for (const Kind* kind : kinds_) {
        const std::string& one = kind->prototype().GetDescriptor()->full_name();
        if (one == type) {
            return *kind;
        }
        known += (known.empty() ? "" : ", ") + one;
    }
    throw ValidationError({{field, "must hold one of " + known + ", got " + quote(type)}});
}

const Kind& Kinds::of(const Message& message) const {
    return of_type(message.GetDescriptor()->full_name(), "request");
}

std::unique_ptr<Message> Kinds::parse(const std::string& json, const std::string& name) const {
    std::unique_ptr<Message> message(of_schema(schema_of_json(json, name)).prototype().New());
    from_json(json, name, *message);
    return message;
}

std::unique_ptr<Request> Kinds::load(const std::string& path) const {
    const std::string schema = schema_of_yaml(read_text_file(path), path);
    if (!schema.empty()) {
        return of_schema(schema).load(path);
    }
    try {
        return kinds_.front()->load(path);
    } catch (const ValidationError& error) {
        // Rules of one kind say nothing of a file that may be of any.
        if (std::ranges::any_of(error.violations(),
                                [](const Violation& broken) { return broken.field == "schema"; })) {
            throw ValidationError({{"schema", "must be given, one of " + known_schemas(kinds_)}});
        }
        throw;
    }
}

}  // namespace kaname::request
