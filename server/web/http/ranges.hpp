// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kaname::http {

/// Describes the part of a file that a Range header (RFC 9110, 14) selects.
struct Selection {
    enum class Kind { Whole, Part, None };  ///< None: it lies outside of the file
    Kind kind = Kind::Whole;
    std::uint64_t offset = 0, bytes = 0;
    [[nodiscard]] bool operator==(const Selection&) const = default;
};

/// One range of bytes: first-last, first-, or -length from the end. Several ranges, other units and
/// what is no range at all get the whole file, as the standard allows and demands.
[[nodiscard]] Selection select_range(std::string_view range, std::uint64_t size);

/// Returns true if a list of entity tags ("a", W/"b", *) has `tag`, which is given without its
/// quotes. Weak tags count only if `weak` is true. A text that is not a list has no tags.
[[nodiscard]] bool has_tag(std::string_view list, std::string_view tag, bool weak);

/// Content-Disposition (RFC 6266) that has a browser or `curl -OJ` store a file under that name;
/// letters beyond ASCII, quotes and separators cannot break out of it.
[[nodiscard]] std::string attachment(const std::string& name);

}  // namespace kaname::http
