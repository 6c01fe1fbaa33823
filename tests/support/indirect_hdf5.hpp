// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace kaname::test {

/// The ways in which an HDF5 file has a reader open another one, or load code.
enum class Indirection { ExternalLink, UserLink, ExternalData, Virtual, Filter };

struct NamedIndirection {
    const char* name;
    Indirection kind;
};
inline constexpr std::array<NamedIndirection, 5> kIndirections = {{
    {"external_link", Indirection::ExternalLink},
    {"user_link", Indirection::UserLink},
    {"external_data", Indirection::ExternalData},
    {"virtual", Indirection::Virtual},
    {"filter", Indirection::Filter},
}};

/// Adds an object `name` to an HDF5 file: bytes of this shape that stand in `other`, or a link to
/// "/values" in it, or (Filter) bytes that a filter of a plugin packs. An object of that name
/// before goes, groups on the way are made. False when HDF5 refuses.
[[nodiscard]] bool add_indirection(const std::string& path, const std::string& name,
                                   Indirection kind, const std::string& other,
                                   const std::vector<std::uint64_t>& shape);

/// Adds `count` texts of `length` letters, of which the file stores one: what fills the rest.
[[nodiscard]] bool add_repeated_text(const std::string& path, const std::string& name,
                                     std::uint64_t count, std::size_t length);

}  // namespace kaname::test
