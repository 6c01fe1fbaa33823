// SPDX-License-Identifier: BSD-3-Clause
// Uploads, downloads, slices and answers.
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include "client/lib/calls.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::client {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::seconds kTransfer{24 * 3600};
constexpr std::size_t kChunk = 1U << 20U;

/// After a failed fsync the kernel takes the pages for written: the file goes, so that the next try
/// downloads it anew.
void flush_to_disk(const fs::path& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool flushed = fd >= 0 && ::fsync(fd) == 0;
    if (fd >= 0) {
        ::close(fd);
    }
    if (!flushed) {
        fs::remove(path);
        throw Error(ErrorCode::Unavailable, path.string() + ": cannot be written to disk");
    }
}

}  // namespace

void Client::upload(const std::string& path, const std::string& sha256, const OnBytes& on_bytes) {
    const auto total = static_cast<std::int64_t>(fs::file_size(path));
    v1::GetUploadRequest look;
    look.set_sha256(sha256);
    look.set_bytes(total);
    parts_->insist([&] {
        v1::Upload upload;
        {
            Parts::Call call(*parts_, std::chrono::seconds(30));
            parts_->check(parts_->artifacts->GetUpload(&call, look, &upload), "GetUpload");
        }
        if (upload.complete()) {
            return;
        }
        Parts::Call call(*parts_, kTransfer);
        v1::Artifact artifact;
        const auto writer = parts_->artifacts->Put(&call, &artifact);
        v1::PutRequest part;
        part.mutable_header()->set_sha256(sha256);
        part.mutable_header()->set_bytes(total);
        part.mutable_header()->set_offset(upload.offset());
        std::ifstream in(path, std::ios::binary);
        in.seekg(upload.offset());
        std::int64_t done = upload.offset();
        bool open = writer->Write(part);
        std::string chunk(kChunk, '\0');
        while (open && (in.read(chunk.data(), kChunk), in.gcount() > 0)) {
            part.set_chunk(chunk.data(), static_cast<std::size_t>(in.gcount()));
            open = writer->Write(part);
            done += in.gcount();
            on_bytes(done, total);
        }
        writer->WritesDone();
        parts_->check(writer->Finish(), "Put");
    });
}

Downloaded Client::download(const std::string& sha256, const std::string& part,
                            const OnBytes& on_bytes) {
    Downloaded result;
    std::error_code none;
    const std::uintmax_t left = fs::file_size(part, none);
    result.resumed_from = none ? 0 : static_cast<std::int64_t>(left);
    bool verify = false;
    const auto fetch = [&] {
        std::error_code absent;
        const std::uintmax_t have = fs::file_size(part, absent);
        v1::ReadArtifactRequest request;
        request.set_sha256(sha256);
        request.set_read_offset(absent ? 0 : static_cast<std::int64_t>(have));
        request.set_verify(verify);
        std::int64_t done = request.read_offset();
        Parts::Call call(*parts_, kTransfer);
        const auto reader = parts_->artifacts->ReadArtifact(&call, request);
        std::ofstream out(part, std::ios::binary | std::ios::app);
        v1::ReadArtifactResponse message;
        while (reader->Read(&message)) {
            if (message.has_artifact()) {
                result.bytes = message.artifact().bytes();
            }
            if (crc32c(std::as_bytes(std::span(message.chunk()))) != message.crc32c()) {
                call.TryCancel();
                throw Error(ErrorCode::Unavailable, part + ": a chunk at " +
                                                        std::to_string(message.offset()) +
                                                        " was damaged on its way");
            }
            out.write(message.chunk().data(), static_cast<std::streamsize>(message.chunk().size()));
            done += static_cast<std::int64_t>(message.chunk().size());
            on_bytes(done, result.bytes);
        }
        const bool written = static_cast<bool>(out.flush());
        parts_->check(reader->Finish(), "ReadArtifact");
        if (!written) {
            throw Error(ErrorCode::Exhausted, part + ": cannot be written (disk full?)");
        }
    };
    for (int attempt = 0;; ++attempt) {
        try {
            parts_->insist(fetch);
        } catch (const Error& error) {
            if (error.code() == ErrorCode::DataLoss) {
                fs::remove(part);
            }
            // OutOfRange means that the part is longer than the artifact: it is of something else.
            if (error.code() != ErrorCode::OutOfRange || attempt > 0) {
                throw;
            }
            fs::remove(part);
            result.resumed_from = 0;
            continue;
        }
        if (sha256_file(part) == sha256) {
            break;
        }
        fs::remove(part);
        // An old beginning of another file, or one that the server finds damaged when it is asked.
        if (verify) {
            throw Error(ErrorCode::DataLoss,
                        part + ": the bytes that came do not have the hash " + sha256);
        }
        result.resumed_from = 0;
        verify = true;
    }
    flush_to_disk(part);
    return result;
}

v1::ReadSliceResponse::Shape Client::read_slice(
    const v1::ReadSliceRequest& request,
    const std::function<void(std::int64_t, const std::vector<double>&)>& on_values) {
    Parts::Call call(*parts_, kTransfer);
    const auto reader = parts_->artifacts->ReadSlice(&call, request);
    v1::ReadSliceResponse message;
    v1::ReadSliceResponse::Shape shape;
    while (reader->Read(&message)) {
        if (message.has_shape()) {
            shape.MergeFrom(message.shape());  // station ids come in pieces
        } else {
            on_values(message.first(), {message.values().begin(), message.values().end()});
        }
    }
    parts_->check(reader->Finish(), "ReadSlice");
    return shape;
}

void Client::answer(
    const v1::AnswerRequest& request,
    const std::function<void(const v1::AnswerAxes&, const v1::AnswerResult&)>& on_part) {
    Parts::Call call(*parts_, kTransfer);
    const auto reader = parts_->greens->Answer(&call, request);
    v1::AnswerResult message;
    v1::AnswerAxes axes;
    while (reader->Read(&message)) {
        if (message.has_axes()) {
            axes.MergeFrom(message.axes());  // station ids come in pieces
        } else {
            on_part(axes, message);
        }
    }
    parts_->check(reader->Finish(), "Answer");
}

}  // namespace kaname::client
