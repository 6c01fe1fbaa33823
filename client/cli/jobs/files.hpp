// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace kaname::cli {

/// A file that a dataset's request names by its hash.
struct RequestFile {
    std::string field;   ///< "stations.files[0]"
    std::string sha256;  ///< 64 lower-case hexadecimal digits
    std::string name;    ///< "stations.files.0": its name when it is got back
};

/// The files of a request as datasets keep it (proto/request/form/json.hpp), in its order.
/// Fields with the same file have the same name, that of the first of them.
[[nodiscard]] std::vector<RequestFile> files_of(const nlohmann::json& specification);

/// Returns the request with the names of its files in one folder, as `kaname submit` takes
/// it.
[[nodiscard]] nlohmann::json with_names(nlohmann::json specification);

[[nodiscard]] bool is_sha256(const std::string& text);

}  // namespace kaname::cli
