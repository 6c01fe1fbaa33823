// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/left_behind.hpp"

#include <utility>

#include "client/cli/format.hpp"
#include "client/cli/run_folder.hpp"

namespace kaname::cli {
namespace fs = std::filesystem;

LeftBehind::LeftBehind(fs::path output, std::string content_hash)
    : output_(std::move(output)), content_hash_(std::move(content_hash)) {
    since_ = RunFolder::is_of(output_, content_hash_) ? fs::file_time_type::min()
                                                      : fs::file_time_type::clock::now();
}

bool LeftBehind::counts(const fs::path& file) const {
    std::error_code none;
    const auto written = fs::last_write_time(file, none);
    return !none && written >= since_;
}

std::string LeftBehind::text(const std::string& resume) const {
    const fs::path work = output_ / "work";
    std::error_code none;
    if (!RunFolder::is_of(output_, content_hash_)) {
        return "nothing was begun: the next run begins anew";
    }
    long long sources = 0;
    for (const auto& entry : fs::directory_iterator(work / "sources", none)) {
        sources += entry.path().filename().string().starts_with("source_") &&
                           entry.path().extension() == ".h5" && counts(entry.path())
                       ? 1
                       : 0;
    }
    // The key is written when the mesh is finished, and removed before another is made.
    std::string kept = fs::exists(work / "mesh.key", none) ? "the mesh" : "";
    if (sources > 0) {
        kept += (kept.empty() ? "" : " and ") + format_count(sources) +
                (sources == 1 ? " source" : " sources");
    }
    if (counts(work / "sources" / "checkpoint.h5")) {
        return "it goes on at its last checkpoint" +
               (kept.empty() ? "" : "; kept besides: " + kept) + "; the command:\n  " + resume;
    }
    if (kept.empty()) {
        return "nothing was finished: the next run begins anew";
    }
    return "kept: " + kept + "; no checkpoint had been written, so the rest begins anew with\n  " +
           resume;
}

}  // namespace kaname::cli
