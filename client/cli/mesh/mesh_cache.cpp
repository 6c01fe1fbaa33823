// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/mesh/mesh_cache.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".h5";

fs::path meshes_folder() {
    const fs::path cache = cache_folder();
    return cache.empty() ? cache : cache / "meshes";
}

std::string identity(const fs::path& program) {
    std::error_code unknown;
    const auto size = fs::file_size(program, unknown);
    const auto time = fs::last_write_time(program, unknown);
    return program.string() + '\n' + std::to_string(size) + '\n' +
           std::to_string(time.time_since_epoch().count());
}

/// `to` appears with the whole file, or not at all.
bool link_or_copy(const fs::path& from, const fs::path& to, MeshCache::Owner owner) {
    const fs::path part = to.string() + ".part";
    std::error_code failed;
    fs::remove(part, failed);
    if (owner == MeshCache::Owner::Ours) {
        fs::create_hard_link(from, part, failed);
    }
    if (owner == MeshCache::Owner::User || failed) {  // no second name on another disk
        failed.clear();
        fs::copy_file(from, part, failed);
    }
    if (!failed) {
        fs::rename(part, to, failed);
    }
    std::error_code ignored;
    fs::remove(part, ignored);  // also where both were names of one file: nothing was renamed
    return !failed;
}

}  // namespace

MeshCache::MeshCache(const fs::path& program, std::uintmax_t most_bytes)
    : folder_(meshes_folder()), program_(identity(program)), most_bytes_(most_bytes) {}

fs::path MeshCache::file(const std::string& mesh_key) const {
    return folder_ / (sha256_hex(mesh_key + '\n' + program_) + kEnding);
}

bool MeshCache::take(const std::string& mesh_key, const fs::path& path, Owner owner) const {
    std::error_code failed;
    if (folder_.empty() || !fs::exists(file(mesh_key), failed) ||
        !link_or_copy(file(mesh_key), path, owner)) {
        return false;
    }
    fs::last_write_time(file(mesh_key), fs::file_time_type::clock::now(), failed);
    return true;
}

bool MeshCache::has(const std::string& mesh_key) const {
    std::error_code failed;
    return !folder_.empty() && fs::is_regular_file(file(mesh_key), failed);
}

bool MeshCache::is_kept(const std::string& mesh_key, const fs::path& path) const {
    std::error_code failed;
    return !folder_.empty() && fs::is_regular_file(file(mesh_key), failed) &&
           fs::file_size(file(mesh_key), failed) == fs::file_size(path, failed) &&
           sha256_file(file(mesh_key).string()) == sha256_file(path.string());
}

void MeshCache::keep(const std::string& mesh_key, const fs::path& path, Owner owner) const {
    if (folder_.empty()) {
        return;
    }
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (!failed && link_or_copy(path, file(mesh_key), owner)) {
        trim();
    }
}

void MeshCache::trim() const {
    struct Kept {
        fs::file_time_type used;
        fs::path path;
        std::uintmax_t bytes;
    };
    std::error_code failed;
    std::vector<Kept> all;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, failed)) {
        std::error_code gone;
        if (entry.path().extension() == kEnding) {
            all.push_back({entry.last_write_time(gone), entry.path(), entry.file_size(gone)});
            if (gone) {
                all.pop_back();
            }
        }
    }
    std::ranges::sort(all, std::ranges::greater{}, &Kept::used);
    std::uintmax_t sum = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
        sum += all[k].bytes;
        if (k > 0 && sum > most_bytes_) {
            fs::remove(all[k].path, failed);
        }
    }
}

namespace {

/// Names what the mesh beside it was made for.
fs::path key_file(const fs::path& mesh) {
    return fs::path(mesh).replace_extension(".key");
}

bool is_there(const std::string& mesh_key, const fs::path& mesh) {
    return fs::exists(mesh) && read_file_if_any(key_file(mesh)) == mesh_key;
}

}  // namespace

bool find_or_make_mesh(const std::string& mesh_key, const fs::path& mesh, const MeshCache& cache,
                       const std::function<void()>& make) {
    if (is_there(mesh_key, mesh)) {
        return true;
    }
    fs::remove(key_file(mesh));
    const bool taken = cache.take(mesh_key, mesh, MeshCache::Owner::Ours);
    if (!taken) {
        make();
        cache.keep(mesh_key, mesh, MeshCache::Owner::Ours);
    }
    write_file(key_file(mesh), mesh_key);
    return taken;
}

bool has_mesh(const std::string& mesh_key, const fs::path& mesh, const MeshCache& cache) {
    return is_there(mesh_key, mesh) || cache.has(mesh_key);
}

}  // namespace kaname::cli
