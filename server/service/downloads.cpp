// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/downloads.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "server/service/views.hpp"

namespace kaname::service {
namespace {

template <class Body>
Download logging_trouble(Context& context, const Body& body) {
    try {
        return body();
    } catch (const std::exception& error) {
        log_trouble(context, error);
        throw;
    }
}

}  // namespace

Download Downloads::open(const std::string& sha256, bool verify) {
    if (verify) {
        context_.artifacts.verify_or_set_aside(sha256);
    }
    const std::filesystem::path path = context_.artifacts.local_file(sha256);
    Download download{.file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)),
                      .bytes = 0,
                      .sha256 = sha256,
                      .name = sha256,
                      .is_final = true,
                      .place = {}};
    struct stat info {};
    if (!download.file.open() || ::fstat(download.file.get(), &info) != 0) {
        throw Error(ErrorCode::Unavailable, "artifact " + sha256 + " cannot be opened; call again");
    }
    download.bytes = static_cast<std::uint64_t>(info.st_size);
    return download;
}

Download Downloads::artifact(const std::string& sha256, bool verify, const Caller& caller) {
    return logging_trouble(context_, [&] {
        auto place = context_.limits.take(kDownloads, caller.principal.name, caller.connection);
        Download download = open(sha256, verify);
        download.place = std::move(place);
        return download;
    });
}

Download Downloads::dataset(const std::string& job_id, bool allow_partial, bool verify,
                            const Caller& caller) {
    return logging_trouble(context_, [&] {
        auto place = context_.limits.take(kDownloads, caller.principal.name, caller.connection);
        const std::string id = id_of("datasets/" + job_id, "datasets", "dataset");
        const v1::Dataset dataset =
            datasets_.get(id, allow_partial, caller.gone.of(caller.principal.name));
        Download download = open(dataset.sha256(), verify);
        if (download.bytes != static_cast<std::uint64_t>(dataset.bytes())) {
            throw Error(ErrorCode::DataLoss, "the dataset of job " + id + " must have " +
                                                 std::to_string(dataset.bytes()) +
                                                 " bytes, its file has " +
                                                 std::to_string(download.bytes));
        }
        download.name = dataset.file();
        // A retry or a later source may change the dataset, which the next request then gets.
        download.is_final = false;
        download.place = std::move(place);
        return download;
    });
}

}  // namespace kaname::service
