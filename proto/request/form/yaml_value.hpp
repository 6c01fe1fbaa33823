// SPDX-License-Identifier: BSD-3-Clause
// Single values of YAML; for the modules of proto/request alone.
#pragma once

#include <string>

#include <google/protobuf/message.h>
#include <yaml-cpp/yaml.h>

#include "proto/request/form/yaml_reader.hpp"

namespace kaname::request {

/// Reads the mapping's keys into a message that stands at `path` of a request, as scan_yaml
/// does.
void read_yaml_mapping(const YAML::Node& node, google::protobuf::Message& into,
                       const std::string& path, YamlReading& reading);

/// Reads one key and its value in this way; violations give line 0 for the key.
void read_yaml_entry(const std::string& key, const YAML::Node& value,
                     google::protobuf::Message& into, const std::string& path,
                     YamlReading& reading);

/// A value and where it stands, for messages.
struct YamlValue {
    YAML::Node node;
    int line = 0;      ///< counted from 1
    std::string file;  ///< as people call it
};

/// Gives the key at `path` of a request a value in place of what it has. A path is keys with
/// dots between, the last one with its unit as in YAML; an entry of a list stands in brackets, by
/// its index or by its `name` or `id`: "structure.materials[mantle].viscosity_pa_s". Mappings on
/// the way are made, entries of lists are not. What cannot be set or read joins
/// `reading.violations`, and what it says of the lines of older values is forgotten.
void set_yaml_value(const std::string& path, const YamlValue& value,
                    google::protobuf::Message& into, YamlReading& reading);

}  // namespace kaname::request
