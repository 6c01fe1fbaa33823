// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/base/error.hpp"

namespace google::protobuf {
class Message;
}

namespace kaname::request {

/// Where a field's value stands in the YAML.
struct YamlPlace {
    int line = 0;           ///< counted from 1
    std::string key;        ///< as written, e.g. "depth_km" for the field depth_m
    double factor = 1.0;    ///< from the key's unit to the field's
    std::string file = {};  ///< where it is another one than the rest's
};

/// YamlReading records what could be read of a YAML text, and what could not.
struct YamlReading {
    std::vector<Violation> violations;        ///< in the order of the text
    std::set<std::string> unread;             ///< fields that were given but could not be read
    std::map<std::string, YamlPlace> places;  ///< by field path, e.g. "region.depth_m"
};

/// YAML to message by reflection. Keys are field names, where a unit may be swapped (units.hpp);
/// enum values are lower-case words (buried); a number or text stands for a list of one; a File may
/// be its path alone, a BoundarySide its kind alone, a ViscosityRange stands under its number's
/// key. Numbers must be finite and unquoted. Collects unknown and repeated keys, wrong types and
/// values with field path and line. Throws one Error naming `source` when the text is empty, binary
/// or no YAML mapping at all.
[[nodiscard]] YamlReading scan_yaml(std::string_view text, const std::string& source,
                                    google::protobuf::Message& into);

/// The top-level key `schema`; empty where there is none or the text is no YAML mapping.
[[nodiscard]] std::string schema_of_yaml(std::string_view text, const std::string& source);

}  // namespace kaname::request
