// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/values_file.hpp"

#include <bit>
#include <fstream>

#include "solvers/base/error.hpp"

namespace kaname::compute {

void write_values(const std::string& file, std::span<const double> values) {
    static_assert(std::endian::native == std::endian::little);
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size_bytes()));
    if (!out.flush()) {
        throw Error(ErrorCode::Unavailable, "file '" + file + "' cannot be written");
    }
}

}  // namespace kaname::compute
