// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/dataset_download.hpp"

#include <iostream>

#include "client/cli/dataset_identity.hpp"
#include "client/cli/follow.hpp"
#include "client/cli/format.hpp"
#include "solvers/base/shown.hpp"

namespace kaname::cli {

nlohmann::json download_dataset(client::Client& client, const DownloadWish& wish,
                                const Context& context) {
    namespace fs = std::filesystem;
    const v1::Dataset dataset = client.get_dataset(wish.job, wish.partial);
    fs::path path =
        wish.output.empty() ? fs::path(file_name_of(dataset.title(), ".h5")) : wish.output;
    if (fs::is_directory(path)) {
        path /= dataset.file().empty() ? "greens.h5" : file_name_of(dataset.file());
    }
    const bool held = holds(path, dataset);
    client::Downloaded done{dataset.bytes(), 0};
    if (!held) {
        const OutputPlace place(
            "--output", path, wish.force,
            same_dataset({dataset.content_hash(), dataset.sources_done()}, context.compute));
        done = fetch_dataset(client, dataset, place);
    }
    if (!context.json) {
        std::cout << path.string() << ": " << format_bytes(static_cast<double>(done.bytes));
        if (dataset.sources() > 0) {
            std::cout << ", " << format_count(dataset.sources_done()) << " of "
                      << format_count(dataset.sources()) << " sources";
        }
        if (held) {
            std::cout << " (already there)";
        }
        if (done.resumed_from > 0) {
            std::cout << " (went on from " << format_bytes(static_cast<double>(done.resumed_from))
                      << ")";
        }
        std::cout << "\n";
    }
    return {{"file", path.string()},
            {"bytes", done.bytes},
            {"resumed_from", done.resumed_from},
            {"already_there", held},
            {"sha256", dataset.sha256()},
            {"complete", dataset.complete()},
            {"sources_done", dataset.sources_done()},
            {"sources", dataset.sources()}};
}

}  // namespace kaname::cli
