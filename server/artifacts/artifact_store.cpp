// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/artifact_store.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "proto/reason/reasoned_error.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::artifacts {

std::vector<std::byte> ArtifactStore::read(const std::string& sha256, std::uint64_t offset,
                                           std::uint64_t limit) const {
    const std::unique_ptr<Artifact> artifact = open(sha256);
    check_read_offset(sha256, offset, artifact->size());
    std::vector<std::byte> bytes(std::min(limit, artifact->size() - offset));
    bytes.resize(artifact->read(offset, bytes));
    return bytes;
}

void ArtifactStore::verify(const std::string& sha256) const {
    const std::unique_ptr<Artifact> artifact = open(sha256);
    const std::string found = content_hash(*artifact);
    if (found != sha256) {
        throw Error(ErrorCode::DataLoss,
                    "artifact " + sha256 + " now has the content hash " + found);
    }
}

void ArtifactStore::verify_or_set_aside(const std::string& sha256) {
    try {
        verify(sha256);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::DataLoss) {
            throw;
        }
        set_aside(sha256);
        throw Error(ErrorCode::DataLoss, std::string(error.what()) +
                                             ": it was damaged on the server's disk and has been "
                                             "set aside; retry the job to compute it again");
    }
}

namespace {

constexpr std::size_t kAtOnce = 8;

}  // namespace

void commit_all(std::span<const std::unique_ptr<Upload>> uploads) {
    std::vector<std::exception_ptr> errors(uploads.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t at = next++; at < uploads.size(); at = next++) {
            try {
                uploads[at]->commit();
            } catch (...) {
                errors[at] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t n = 1; n < std::min(kAtOnce, uploads.size()); ++n) {
            others.emplace_back(work);
        }
        work();
    }
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

namespace {

std::string text(std::uint64_t value) {
    return std::to_string(value);
}

}  // namespace

void check_hash(const std::string& sha256) {
    const bool digits = sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (sha256.size() != 64 || !digits) {
        throw Error(ErrorCode::InvalidArgument,
                    "sha256 must be 64 lower-case hexadecimal digits, got \"" +
                        sha256.substr(0, 80) + "\"");
    }
}

void check_upload_size(const std::string& sha256, std::uint64_t bytes,
                       const StoreOptions& options) {
    if (bytes > options.max_upload_bytes) {
        throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kLimitExceeded,
                                 "artifact " + sha256 + ": size must be <= " +
                                     text(options.max_upload_bytes) + " bytes, got " + text(bytes));
    }
}

void check_same_size(const std::string& sha256, std::uint64_t stored, std::uint64_t declared) {
    if (stored != declared) {
        throw Error(ErrorCode::InvalidArgument, "artifact " + sha256 + " is here with " +
                                                    text(stored) + " bytes, size says " +
                                                    text(declared));
    }
}

void check_room(const std::string& place, std::uint64_t needed, std::uint64_t free,
                const StoreOptions& options) {
    if (free < options.min_free_bytes || free - options.min_free_bytes < needed) {
        throw rpc::ReasonedError(ErrorCode::Exhausted, rpc::kDiskFull,
                                 "artifact store " + place + " is full: " + text(free) +
                                     " bytes free, " + text(needed) + " needed, " +
                                     text(options.min_free_bytes) + " must stay free");
    }
}

void check_append(const std::string& sha256, std::uint64_t offset, std::uint64_t expected,
                  std::uint64_t count, std::uint64_t declared) {
    if (offset != expected) {
        throw Error(ErrorCode::InvalidArgument, "artifact " + sha256 + ": offset must be " +
                                                    text(expected) + ", got " + text(offset));
    }
    if (count > declared - expected) {
        throw Error(ErrorCode::InvalidArgument,
                    "artifact " + sha256 + ": " + text(count) + " bytes at offset " + text(offset) +
                        " go past the declared size of " + text(declared));
    }
}

void check_complete(const std::string& sha256, std::uint64_t here, std::uint64_t declared) {
    if (here != declared) {
        throw Error(ErrorCode::InvalidArgument, "artifact " + sha256 + ": " + text(here) + " of " +
                                                    text(declared) +
                                                    " bytes are here, commit needs all");
    }
}

void check_content(const std::string& sha256, const std::string& found) {
    if (found != sha256) {
        throw Error(ErrorCode::InvalidArgument, "artifact " + sha256 +
                                                    ": the uploaded bytes have the hash " + found +
                                                    "; upload discarded");
    }
}

void check_read_offset(const std::string& sha256, std::uint64_t offset, std::uint64_t size) {
    if (offset > size) {
        throw Error(ErrorCode::OutOfRange, "artifact " + sha256 +
                                               ": offset out of range, must be <= " + text(size) +
                                               ", got " + text(offset));
    }
}

void throw_not_found(const std::string& sha256) {
    throw Error(ErrorCode::NotFound, "artifact " + sha256 + ": not in the store");
}

void throw_too_many_writers(const std::string& sha256) {
    throw Error(ErrorCode::Unavailable, "artifact " + sha256 + ": already being uploaded by " +
                                            text(kMaxWritersPerHash) + " others");
}

void throw_spent(const std::string& sha256) {
    throw Error(ErrorCode::Conflict, "artifact " + sha256 + ": this upload has ended");
}

std::string content_hash(const Artifact& artifact) {
    Sha256 hash;
    std::vector<std::byte> piece(std::min<std::uint64_t>(artifact.size(), 1U << 20U));
    for (std::uint64_t offset = 0; offset < artifact.size();) {
        const std::size_t got = artifact.read(offset, piece);
        hash.update(std::span(piece).first(got));
        offset += got;
    }
    return hash.hex();
}

}  // namespace kaname::artifacts
