// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace kaname::cli {

/// Meshes of this user, by the content key of what they are made from and the program that makes
/// them (path, size and time: another build makes them anew). In cache_folder(); where there is
/// none, or it cannot be written, nothing is kept, which is no error.
class MeshCache {
public:
    /// `program`: kaname-compute. The least recently used files beyond `most_bytes` are removed.
    explicit MeshCache(const std::filesystem::path& program,
                       std::uintmax_t most_bytes = kMostBytes);

    /// Ours: a second name of the kept file, which nothing writes to. Users': a copy.
    enum class Owner { Ours, User };

    /// Puts the kept mesh at `path`; false when there is none.
    [[nodiscard]] bool take(const std::string& mesh_key, const std::filesystem::path& path,
                            Owner owner) const;
    [[nodiscard]] bool has(const std::string& mesh_key) const;
    /// Returns true if the file at `path` is the kept mesh, byte for byte.
    [[nodiscard]] bool is_kept(const std::string& mesh_key,
                               const std::filesystem::path& path) const;
    /// Keeps the mesh at `path`.
    void keep(const std::string& mesh_key, const std::filesystem::path& path, Owner owner) const;

private:
    static constexpr std::uintmax_t kMostBytes = std::uintmax_t{8} << 30;

    [[nodiscard]] std::filesystem::path file(const std::string& mesh_key) const;
    void trim() const;

    std::filesystem::path folder_;  // empty: none
    std::string program_;
    std::uintmax_t most_bytes_;
};

/// Provides the mesh of that key in a work folder: the one that is there, else one from the cache,
/// else one that `make` makes, which is then kept. Returns true if it was not made.
bool find_or_make_mesh(const std::string& mesh_key, const std::filesystem::path& mesh,
                       const MeshCache& cache, const std::function<void()>& make);
/// Returns true if find_or_make_mesh would not make a mesh.
[[nodiscard]] bool has_mesh(const std::string& mesh_key, const std::filesystem::path& mesh,
                            const MeshCache& cache);

}  // namespace kaname::cli
