// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/form/yaml_document.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

#include <yaml-cpp/eventhandler.h>

#include "solvers/base/error.hpp"

namespace kaname::request {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return lines;
}

std::string number_of(std::size_t index) {
    return "line " + std::to_string(index + 1);
}

std::string tab_in(const std::vector<std::string_view>& lines) {
    for (std::size_t k = 0; k < lines.size(); ++k) {
        const std::size_t word = lines[k].find_first_not_of(" \t");
        if (word != std::string_view::npos &&
            lines[k].substr(0, word).find('\t') != std::string_view::npos) {
            return number_of(k) + " begins with a tab; YAML is indented with spaces only";
        }
    }
    return "";
}

/// Brackets that are open where a line has been read, outside of quotes and comments.
class Brackets {
public:
    /// Returns what is wrong with the line, or nothing.
    std::string read(std::string_view line, std::size_t index) {
        char before = ' ';  // the last character that is no blank; a quote begins a word only
        bool blank = true;
        for (const char c : line) {
            if (quote_ != '\0') {
                quote_ = c == quote_ ? '\0' : quote_;
            } else if (c == '#' && blank) {
                break;
            } else if ((c == '"' || c == '\'') &&
                       std::string_view(" :,[{-").find(before) != std::string_view::npos) {
                quote_ = c;
            } else if (c == '{' || c == '[') {
                open_.push_back({c, index});
            } else if (c == '}' || c == ']') {
                if (open_.empty()) {
                    return number_of(index) + ": '" + c + "' closes nothing";
                }
                if ((c == '}') != (open_.back().bracket == '{')) {
                    return number_of(index) + ": '" + c + "' closes the '" + open_.back().bracket +
                           "' in " + number_of(open_.back().line);
                }
                open_.pop_back();
            }
            blank = c == ' ';
            before = blank ? before : c;
        }
        return "";
    }
    [[nodiscard]] std::string left_open() const {
        return open_.empty() ? ""
                             : std::string("the '") + open_.front().bracket + "' in " +
                                   number_of(open_.front().line) + " is not closed";
    }

private:
    struct Open {
        char bracket;
        std::size_t line;
    };
    std::vector<Open> open_;
    char quote_ = '\0';
};

std::string bracket_in(const std::vector<std::string_view>& lines) {
    Brackets brackets;
    for (std::size_t k = 0; k < lines.size(); ++k) {
        if (lines[k].ends_with('|') || lines[k].ends_with('>')) {
            return "";  // text as it is follows
        }
        if (std::string wrong = brackets.read(lines[k], k); !wrong.empty()) {
            return wrong;
        }
    }
    return brackets.left_open();
}

/// Lines that say something, by their indentation.
struct Said {
    std::size_t index, indent;
    bool entry;  ///< of a list
    bool opens;  ///< more belongs to it below
};

std::string other_indent(const Said& here, const Said& above) {
    return number_of(here.index) + " is indented by " + std::to_string(here.indent) +
           " spaces, the list above (" + number_of(above.index) + ") by " +
           std::to_string(above.indent);
}

std::string indent_in(const std::vector<std::string_view>& lines, int last_line) {
    std::vector<Said> said;
    for (std::size_t k = 0; k < lines.size() && static_cast<int>(k) <= last_line; ++k) {
        const std::size_t word = lines[k].find_first_not_of(' ');
        if (word == std::string_view::npos || lines[k][word] == '#') {
            continue;
        }
        const std::string_view rest = lines[k].substr(word);
        const Said here{k, word, rest.starts_with("- "),
                        rest.ends_with(':') || (rest.find(": ") != std::string_view::npos &&
                                                !rest.ends_with('}') && !rest.ends_with(']'))};
        if (here.entry) {
            // The entries of an open list that are indented more, then what is not.
            const Said* first = nullptr;
            for (auto above = said.rbegin(); above != said.rend(); ++above) {
                if (above->indent <= here.indent) {
                    const bool same = above->indent == here.indent && above->entry;
                    if (!same && first != nullptr) {
                        return other_indent(here, *first);
                    }
                    if (above->indent < here.indent && above->entry && !above->opens) {
                        return other_indent(here, *above);
                    }
                    break;
                }
                first = above->entry ? &*above : first;
            }
        }
        said.push_back(here);
    }
    return "";
}

}  // namespace

std::string yaml_fault(std::string_view text, int line) {
    const std::vector<std::string_view> lines = lines_of(text);
    std::string fault = tab_in(lines);
    if (fault.empty()) {
        fault = bracket_in(lines);
    }
    return fault.empty() ? indent_in(lines, line) : fault;
}

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

}  // namespace kaname::request
