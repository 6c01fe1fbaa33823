// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/request/inversion/load_inversion.hpp"
#include "tests/unit/proto/request/greens/example_request.hpp"

namespace kaname::request::examples {

/// Valid, with greens.h5 and offsets.csv beside it.
inline const std::string kInversionYaml = R"(schema: kaname.v1.Inversion
name: tohoku
greens: greens.h5
data:
  - file: offsets.csv
    sigma_east_m: 0.01
)";

inline const std::string kOffsetsCsv =
    "station,lon_deg,lat_deg,east_m\n"
    "A,140.0,38.0,0.5\n"
    "B,140.5,38.1,0.4\n"
    "C,141.0,38.2,-0.3\n";

/// n stations on a line, each with east_m.
inline std::string offsets_of(int n) {
    std::string text = "station,lon_deg,lat_deg,east_m\n";
    for (int k = 0; k < n; ++k) {
        text += "S" + std::to_string(k) + ",140," + std::to_string(30 + k) + ",0.1\n";
    }
    return text;
}

/// The folder of an inversion.
struct InversionFolder : Folder {
    explicit InversionFolder(const std::string& offsets = kOffsetsCsv) {
        write("greens.h5", "dataset");
        write("offsets.csv", offsets);
    }
    [[nodiscard]] LoadedInversion load(const std::string& yaml) const {
        return load_inversion(write("inversion.yaml", yaml));
    }
    /// The error's lines with the folder taken off.
    [[nodiscard]] std::string error(const std::string& yaml) const {
        std::string text = error_of([&] { return load(yaml); });
        for (std::size_t at = 0; (at = text.find(path() + "/")) != std::string::npos;) {
            text.erase(at, path().size() + 1);
        }
        return text;
    }
};

/// The example with more lines at its end, or in its set.
inline std::string and_also(const std::string& more) {
    return kInversionYaml + more;
}
inline std::string in_set(const std::string& more) {
    return kInversionYaml + "    " + more + "\n";
}

}  // namespace kaname::request::examples
