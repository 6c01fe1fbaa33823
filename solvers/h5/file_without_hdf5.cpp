// SPDX-License-Identifier: BSD-3-Clause
#ifndef KANAME_HAVE_HDF5

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::h5 {
namespace {

[[noreturn]] void refuse(const std::string& path) {
    throw Error(ErrorCode::Unavailable,
                path + ": HDF5 files need a build with HDF5 (configure with KANAME_HDF5=ON)");
}

}  // namespace

bool available() {
    return false;
}
File::File(const std::string& path, Mode) {
    refuse(path);
}
File::~File() = default;
File::File(File&& other) noexcept = default;
File& File::operator=(File&& other) noexcept = default;
void File::close() {
    refuse(path_);
}
template <typename T>
void File::write(const std::string&, std::span<const T>, const Dims&, const Dims&) {
    refuse(path_);
}
template <typename T>
void File::create(const std::string&, const Dims&, const Dims&) {
    refuse(path_);
}
template <typename T>
void File::write_block(const std::string&, std::span<const T>, const Dims&, const Dims&) {
    refuse(path_);
}
void File::write_strings(const std::string&, std::span<const std::string>) {
    refuse(path_);
}
void File::write_strings(const std::string&, std::span<const std::string>, const Dims&) {
    refuse(path_);
}
void File::write_virtual(const std::string&, const Dims&, const Dims&,
                         std::span<const VirtualPart>) {
    refuse(path_);
}
void File::set_attribute(const std::string&, const std::string&, const std::string&) {
    refuse(path_);
}
void File::set_attribute(const std::string&, const std::string&, double) {
    refuse(path_);
}
void File::set_attribute(const std::string&, const std::string&, std::int64_t) {
    refuse(path_);
}
void File::set_attribute(const std::string&, const std::string&, std::span<const std::int8_t>) {
    refuse(path_);
}
void File::make_scale(const std::string&) {
    refuse(path_);
}
void File::make_dimension(const std::string&, std::uint64_t) {
    refuse(path_);
}
void File::attach_scale(const std::string&, unsigned, const std::string&) {
    refuse(path_);
}
bool File::has(const std::string&) const {
    refuse(path_);
}
bool File::has_attribute(const std::string&, const std::string&) const {
    refuse(path_);
}
Dims File::dims(const std::string&) const {
    refuse(path_);
}
template <typename T>
std::vector<T> File::read(const std::string&) const {
    refuse(path_);
}
template <typename T>
std::vector<T> File::read(const std::string&, const Dims&) const {
    refuse(path_);
}
template <typename T>
std::vector<T> File::read_block(const std::string&, const Dims&, const Dims&, const Dims&) const {
    refuse(path_);
}
std::vector<std::string> File::read_strings(const std::string&) const {
    refuse(path_);
}
std::string File::string_attribute(const std::string&, const std::string&) const {
    refuse(path_);
}
double File::double_attribute(const std::string&, const std::string&) const {
    refuse(path_);
}
std::int64_t File::int_attribute(const std::string&, const std::string&) const {
    refuse(path_);
}

#define KANAME_INSTANTIATE_REFUSALS(T)                                                        \
    template void File::write<T>(const std::string&, std::span<const T>, const Dims&,         \
                                 const Dims&);                                                \
    template void File::create<T>(const std::string&, const Dims&, const Dims&);              \
    template void File::write_block<T>(const std::string&, std::span<const T>, const Dims&,   \
                                       const Dims&);                                          \
    template std::vector<T> File::read<T>(const std::string&) const;                          \
    template std::vector<T> File::read<T>(const std::string&, const Dims&) const;             \
    template std::vector<T> File::read_block<T>(const std::string&, const Dims&, const Dims&, \
                                                const Dims&) const;
KANAME_INSTANTIATE_REFUSALS(double)
KANAME_INSTANTIATE_REFUSALS(float)
KANAME_INSTANTIATE_REFUSALS(std::int8_t)
KANAME_INSTANTIATE_REFUSALS(std::uint8_t)
KANAME_INSTANTIATE_REFUSALS(std::int32_t)
KANAME_INSTANTIATE_REFUSALS(std::int64_t)
#undef KANAME_INSTANTIATE_REFUSALS

}  // namespace kaname::h5

#endif
