// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#ifdef KANAME_HAVE_HDF5

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <hdf5.h>

/// The gate of every file that is read: its values stand in it, and no more of them than it stores.
/// For the sources of this folder only.
namespace kaname::h5 {

/// Memory that a dataset or the texts of one may take whatever their file stores.
inline constexpr std::uint64_t kFreeRoom = std::uint64_t{64} << 20U;

/// Forbids the library to load filters and drivers from files (HDF5_PLUGIN_PATH).
void forbid_plugins();

/// Looks at each link and dataset of an open file before a value is read. Throws InvalidArgument,
/// naming the object, when one leads out of the file (external links and user-defined ones, raw
/// data in other files, virtual datasets) or needs a filter that is no part of HDF5, and when there
/// are more than 100,000 objects or more than 32 groups in each other. Soft links, committed types
/// and references within the file pass.
void expect_self_contained(hid_t file, const std::string& path);

/// Throws InvalidArgument when reading `bytes` of a dataset takes more memory than the bytes that
/// the file stores of it can be unpacked to: DEFLATE makes at most 1,032 bytes of one. kFreeRoom is
/// never too much. What no file stores is a fill value, of which a header may promise any number.
void expect_stored(hid_t file, hid_t dataset, const std::string& where, std::uint64_t bytes);

/// Memory of variable-length texts that are read, at most a number of bytes: a file may name one
/// text of it a million times.
class TextBudget {
public:
    explicit TextBudget(std::uint64_t most) : left_(most) {}
    /// Makes reads with these transfer properties take their memory here.
    void serve(hid_t transfer);

private:
    static void* take(std::size_t size, void* self);
    static void give_back(void* text, void* self);

    std::uint64_t left_;
    std::vector<std::unique_ptr<char[]>> texts_;
};

}  // namespace kaname::h5

#endif
