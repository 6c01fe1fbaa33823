// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace kaname::h5 {

using Dims = std::vector<std::uint64_t>;
/// An expected extent that every extent is.
inline constexpr std::uint64_t kAny = ~std::uint64_t{0};

/// A dataset of another file in the place of a block of a virtual one.
struct VirtualPart {
    std::string file;  ///< relative: counted from the folder of the file that is written
    std::string dataset;
    Dims start;  ///< of the block, of one index in each axis that the part's dataset lacks
};

/// False when built without HDF5: every File then throws Unavailable.
[[nodiscard]] bool available();
/// True when the file starts with the eight bytes of an HDF5 file (also without HDF5 built in).
/// Throws NotFound when it cannot be read.
[[nodiscard]] bool has_hdf5_signature(const std::string& path);

/// One HDF5 file, open for reading or being created. Move-only owner; not for several threads.
///
/// Names are paths from the root ("/xyz" or "xyz"); groups on the way to a new dataset are made.
/// Numbers are T in {double, float, int8, uint8, int32, int64}; reading converts from the stored
/// number type. Strings are variable-length UTF-8 (NC_STRING for netCDF-4). Readers of HDF5 1.8 can
/// open what is written here. A file that is read must hold its values itself: one with an external
/// link, raw data in other files, a virtual dataset or a filter that is no part of HDF5 is refused
/// when it is opened (InvalidArgument), and no values of a shape of which it stores next to nothing
/// get memory.
///
/// Every error names the file and the dataset or attribute: NotFound (no such file),
/// InvalidArgument (not HDF5, truncated, dataset missing, of wrong rank or kind), Unavailable (the
/// system refuses to write, or built without HDF5).
class File {
public:
    enum class Mode { Read, Create };
    File(const std::string& path, Mode mode);
    ~File();
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;

    /// Flushes and closes; unlike the destructor it reports failure.
    void close();

    /// Row-major, `dims` empty for a scalar; `chunk` empty for contiguous storage.
    /// Throws InvalidArgument when values.size() is not the product of dims.
    template <typename T>
    void write(const std::string& name, std::span<const T> values, const Dims& dims,
               const Dims& chunk = {});
    /// A dataset without values, which write_block fills; what it leaves out is unspecified.
    template <typename T>
    void create(const std::string& name, const Dims& dims, const Dims& chunk = {});
    /// Puts `values` in the block of count[i] indices from start[i] of a dataset of this file.
    /// Throws InvalidArgument when the block leaves the dataset or has not values.size() values.
    template <typename T>
    void write_block(const std::string& name, std::span<const T> values, const Dims& start,
                     const Dims& count);
    void write_strings(const std::string& name, std::span<const std::string> values);
    /// Row-major. Throws InvalidArgument when values.size() is not the product of dims.
    void write_strings(const std::string& name, std::span<const std::string> values,
                       const Dims& dims);
    /// Doubles that stand in other files, NaN where no part is or its file is missing; each part is
    /// the last `part_dims.size()` axes whole. Nothing is read of them; HDF5 1.10 or later opens
    /// what is written.
    void write_virtual(const std::string& name, const Dims& dims, const Dims& part_dims,
                       std::span<const VirtualPart> parts);

    /// `object` is a dataset's name, or "/" for the file itself.
    void set_attribute(const std::string& object, const std::string& name,
                       const std::string& value);
    void set_attribute(const std::string& object, const std::string& name, double value);
    void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
    void set_attribute(const std::string& object, const std::string& name,
                       std::span<const std::int8_t> values);

    /// Makes a 1-D dataset the dimension scale (netCDF: dimension and coordinate) of its own name.
    void make_scale(const std::string& dataset);
    /// A scale of `size` without values: netCDF's dimension that has no coordinate.
    void make_dimension(const std::string& name, std::uint64_t size);
    /// Axis `axis` of `dataset` is measured by `scale`.
    void attach_scale(const std::string& dataset, unsigned axis, const std::string& scale);

    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] Dims dims(const std::string& name) const;
    template <typename T>
    [[nodiscard]] std::vector<T> read(const std::string& name) const;
    /// Reads as above and checks the shape; kAny in `expected` matches any extent.
    template <typename T>
    [[nodiscard]] std::vector<T> read(const std::string& name, const Dims& expected) const;
    /// count[i] indices of axis i from start[i], every stride[i]-th; only these are read from disk.
    /// Throws InvalidArgument when the block leaves the dataset.
    template <typename T>
    [[nodiscard]] std::vector<T> read_block(const std::string& name, const Dims& start,
                                            const Dims& count, const Dims& stride) const;
    [[nodiscard]] std::vector<std::string> read_strings(const std::string& name) const;
    [[nodiscard]] std::string string_attribute(const std::string& object,
                                               const std::string& name) const;
    [[nodiscard]] double double_attribute(const std::string& object, const std::string& name) const;
    [[nodiscard]] std::int64_t int_attribute(const std::string& object,
                                             const std::string& name) const;
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_;
    std::int64_t id_ = -1;  ///< hid_t
};

/// A file that appears under its name only when it is complete: it is written as `path`.part, which
/// commit() flushes to disk and renames; the folder is flushed too. Without commit() the part file
/// is removed again. Throws Unavailable naming the path when the system refuses; then there is no
/// file.
class AtomicFile {
public:
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    [[nodiscard]] File& file() { return file_; }
    void commit();

private:
    std::string path_, part_;
    File file_;
    bool done_ = false;
};

/// Lets `fill` write `path`.part, then flushes it to disk, renames it to `path` and flushes the
/// folder: a reader sees the old file, the new file, or none, never half a file. When `fill` throws
/// the part file is removed. Throws Unavailable naming the path when the system refuses.
void write_atomically(const std::string& path, const std::function<void(File&)>& fill);

/// A part of another file's dataset under a name of its own, for readers that take whole datasets
/// alone. It has `first`, indices of the leading axes, and the other axes whole.
struct View {
    std::string name;     ///< in the file of views; groups on the way are made
    std::string dataset;  ///< in `source`
    Dims first;           ///< at most as many as the dataset has axes
};

/// Writes a file of float32 views of datasets of `source` (virtual datasets): a few kilobytes each,
/// whatever their size. `source_name` is the source's place from the folder of `path`; a view whose
/// source is missing is NaN. The file appears under its name when it is complete, and HDF5 1.10 or
/// later opens it. Throws InvalidArgument naming a dataset that has no such part, Unavailable when
/// the system refuses, or built without HDF5.
void write_views(const std::string& path, const File& source, const std::string& source_name,
                 std::span<const View> views);

}  // namespace kaname::h5
