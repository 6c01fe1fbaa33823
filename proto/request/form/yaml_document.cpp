// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/yaml_document.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include <yaml-cpp/eventhandler.h>

#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::request {

Error not_yaml(const std::string& source, std::string_view text, const YAML::Exception& error) {
    const int line = error.mark.line + 1;
    const std::string fault = yaml_fault(text, line);
    return {ErrorCode::InvalidArgument,
            "file '" + source + "' is not YAML: " +
                (fault.empty() ? "line " + std::to_string(line) + ": " + error.msg : fault)};
}

namespace {

/// Keeps nothing.
class Passing : public YAML::EventHandler {
public:
    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}
};

/// 0, 1, or 2 for any more: yaml-cpp finds documents without end in some broken texts, such as
/// those that begin with a comma, so that YAML::LoadAll would take all memory.
int count_documents(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    Passing passing;
    int n = 0;
    while (n < 2 && parser.HandleNextDocument(passing)) {
        ++n;
    }
    return n;
}

}  // namespace

YAML::Node only_document(std::string_view text, const std::string& source) {
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorCode::InvalidArgument, "file '" + source + "' " + why);
    };
    const std::string whole(text);
    try {
        const int n = count_documents(whole);
        if (n == 0) {
            refuse("has only comments");
        }
        if (n > 1) {
            refuse("must hold one YAML document, has more");
        }
        // yaml-cpp takes a quote that is never closed for a text to the end of the file.
        if (const std::string quoted = unclosed_quote(text); !quoted.empty()) {
            refuse("is not YAML: " + quoted);
        }
        return YAML::Load(whole);
    } catch (const YAML::Exception& error) {
        throw not_yaml(source, text, error);
    }
}

std::vector<Violation> relate_to_yaml(std::vector<Violation> broken, const YamlReading& yaml) {
    std::erase_if(broken, [&](const Violation& violation) {
        return std::any_of(yaml.unread.begin(), yaml.unread.end(), [&](const std::string& unread) {
            return is_within(violation.field, unread) || is_within(unread, violation.field);
        });
    });
    for (Violation& violation : broken) {
        const auto place = yaml.places.find(violation.field);
        if (place == yaml.places.end()) {
            continue;
        }
        const std::string& key = place->second.key;
        const bool renamed = !key.empty() && !violation.field.ends_with(key);
        violation.message += (renamed ? " (" + key + " in line " : " (line ") +
                             std::to_string(place->second.line) +
                             (place->second.file.empty() ? ")" : " of " + place->second.file + ")");
    }
    return broken;
}

void throw_if_broken(std::vector<Violation> broken, YamlReading reading) {
    std::vector<Violation> related = relate_to_yaml(std::move(broken), reading);
    std::vector<Violation> all = std::move(reading.violations);
    std::move(related.begin(), related.end(), std::back_inserter(all));
    if (!all.empty()) {
        throw ValidationError(std::move(all));
    }
}

UnitFactor unit_factor_of(const YamlReading& yaml) {
    return [&yaml](const std::string& field) {
        const auto place = yaml.places.find(field);
        return place == yaml.places.end() ? 1.0 : place->second.factor;
    };
}

std::string schema_of_yaml(std::string_view text, const std::string& source) {
    check_text(text, source);
    try {
        const YAML::Node document = YAML::Load(std::string(text));
        return document.IsMap() && document["schema"] && document["schema"].IsScalar()
                   ? document["schema"].Scalar()
                   : "";
    } catch (const YAML::Exception&) {
        return "";  // the reader says where
    }
}

}  // namespace kaname::request
