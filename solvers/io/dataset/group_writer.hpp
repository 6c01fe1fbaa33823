// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "solvers/h5/file.hpp"

namespace kaname::io {

/// Variables of one group of a dataset's file. Every axis is a dimension of the group, or of one
/// around it; every number has units ("1": a count, an index or a ratio) and all have a long_name,
/// so that netCDF readers find names and units wherever they look (docs/user/dataset.md).
class GroupWriter {
public:
    using Text = std::string;
    using Axes = std::vector<const char*>;

    /// `group` without slashes around it; empty: the file's root.
    explicit GroupWriter(h5::File& file, Text group = {}) : file_(file), group_(std::move(group)) {}
    /// A group inside of this one, which knows the dimensions that this one has now.
    [[nodiscard]] GroupWriter inside(const Text& group) const;

    /// A dimension with values: its coordinate. Texts have no units.
    template <class T>
    void dimension(const Text& name, std::span<const T> values, const Text& units,
                   const Text& long_name) {
        const Text path = path_of(name);
        if constexpr (std::is_same_v<T, Text>) {
            file_.write_strings(path, values);
        } else {
            file_.write<T>(path, values, {values.size()});
        }
        file_.make_scale(path);
        describe(path, units, long_name);
        dimensions_[name] = {path, values.size()};
    }
    /// A dimension that counts from 0.
    void count(const Text& name, std::size_t size, const Text& long_name);
    /// A dimension without values.
    void bare_dimension(const Text& name, std::size_t size);
    /// Seconds since what `long_name` says: an elapsed time, no coordinate of axis T, which would
    /// need a date (CF 4.4); xarray leaves "s" a number ("seconds" would become a timedelta64,
    /// which ends at 292 years).
    void epochs(std::span<const double> values_s, const Text& long_name);

    template <class T>
    void variable(const Text& name, const Axes& axes, std::span<const T> values, const Text& units,
                  const Text& long_name, const h5::Dims& chunk = {}) {
        file_.write<T>(path_of(name), values, dims(axes), chunk);
        attach(name, axes);
        describe(path_of(name), units, long_name);
    }
    template <class T>
    void variable(const Text& name, const Axes& axes, const std::vector<T>& values,
                  const Text& units, const Text& long_name, const h5::Dims& chunk = {}) {
        variable(name, axes, std::span<const T>(values), units, long_name, chunk);
    }
    /// A variable without values, for File::write_block to fill.
    template <class T>
    void begin(const Text& name, const Axes& axes, const Text& units, const Text& long_name,
               const h5::Dims& chunk = {}) {
        file_.create<T>(path_of(name), dims(axes), chunk);
        attach(name, axes);
        describe(path_of(name), units, long_name);
    }
    void text(const Text& name, const char* axis, std::span<const Text> values,
              const Text& long_name);

    template <class Value>
    void attribute(const Text& of, const Text& name, const Value& value) {
        file_.set_attribute(path_of(of), name, value);
    }
    /// Flags of an int8 variable; meanings are separated by blanks.
    void flags(const Text& of, std::span<const std::int8_t> values, const Text& meanings);

    /// Extents of axes. Throws Internal naming an axis that is no dimension here.
    [[nodiscard]] h5::Dims dims(const Axes& axes) const;
    [[nodiscard]] Text path_of(const Text& name) const {
        return group_.empty() ? name : group_ + "/" + name;
    }

private:
    struct Dimension {
        Text path;
        std::size_t size = 0;
    };
    [[nodiscard]] const Dimension& dimension_named(const char* name) const;
    void attach(const Text& name, const Axes& axes);
    void describe(const Text& path, const Text& units, const Text& long_name);

    h5::File& file_;
    Text group_;
    std::map<Text, Dimension> dimensions_;
};

/// Writes what every file says of itself (CF 2.6): convention, title, the `version` of Kaname, and
/// as its history what was done. The history has no date: one request always gives the same bytes.
void write_about(h5::File& file, const std::string& title, const std::string& version,
                 const std::string& done);

/// Value of the attribute grid_mapping of a variable over patches (CF 5.6).
inline constexpr const char* kMappedCoordinates = "crs: patch_x patch_y";

/// Writes the scalar `crs`, the azimuthal equidistant projection of the model with the parameters
/// that CF's appendix F wants beside `wkt`, from which they are taken. Returns false where they are
/// not in `wkt`: then `crs` is no grid mapping, and has the text alone.
bool write_grid_mapping(h5::File& file, const std::string& wkt);

}  // namespace kaname::io
