// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace kaname::fuzz {

/// Makes an HDF5 file that a text describes, so that inputs differ in what a file holds: the bytes
/// of the format are the HDF5 library's to read. A line is one thing; words are between blanks:
///   TYPE NAME SHAPE NUMBER...      TYPE f8, f4, i8, i4, i1 or u1; SHAPE 2x3, "-" of a scalar; the
///                                  last number is also that of all values that are left
///   text NAME SHAPE A|B...         the last text likewise
///   external_data NAME SHAPE       bytes that stand in another file; also external_link,
///   user_link,
///                                  virtual and filter (tests/support/indirect_hdf5.hpp)
///   @f8 OBJECT NAME NUMBER         an attribute; also @i8 and @text, whose text is the line's rest
/// Lines that say none of this are passed over. A shape of more values than 64 bits count gets no
/// values, one of more than a few thousand is passed over. Throws Error for what HDF5 refuses.
void write_described_hdf5(std::string_view text, const std::string& path);

}  // namespace kaname::fuzz
