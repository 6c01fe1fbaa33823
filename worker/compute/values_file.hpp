// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fstream>
#include <span>
#include <string>

namespace kaname::compute {

/// Numbers in a file as little-endian float64, one after the other. All throw Unavailable when it
/// cannot be written.
class ValuesFile {
public:
    explicit ValuesFile(std::string file);
    void append(std::span<const double> values);
    void close();

private:
    void check() const;

    std::string file_;
    std::ofstream out_;
};

/// A file of these.
void write_values(const std::string& file, std::span<const double> values);

}  // namespace kaname::compute
