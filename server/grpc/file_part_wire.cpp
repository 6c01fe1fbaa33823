// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/file_part_wire.hpp"

#include <array>
#include <string>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace kaname::service {
namespace {

using google::protobuf::internal::WireFormatLite;
using Chunk = std::shared_ptr<const std::string>;

void let_go(void* chunk) {
    delete static_cast<Chunk*>(chunk);
}

}  // namespace

grpc::ByteBuffer to_wire(const FilePart& part) {
    std::string head = part.head.SerializeAsString();
    const auto size = static_cast<google::protobuf::uint32>(part.chunk->size());
    constexpr auto kTag = WireFormatLite::MakeTag(v1::ReadArtifactResponse::kChunkFieldNumber,
                                                  WireFormatLite::WIRETYPE_LENGTH_DELIMITED);
    std::array<google::protobuf::uint8, 10> prefix{};
    auto* end = google::protobuf::io::CodedOutputStream::WriteTagToArray(kTag, prefix.data());
    end = google::protobuf::io::CodedOutputStream::WriteVarint32ToArray(size, end);
    head.append(reinterpret_cast<const char*>(prefix.data()),
                static_cast<std::size_t>(end - prefix.data()));
    // gRPC may hold the bytes until they are on the socket, so the slice holds the chunk.
    auto* const held = new Chunk(part.chunk);
    const std::array<grpc::Slice, 2> slices{
        grpc::Slice(head),
        grpc::Slice(const_cast<char*>((*held)->data()), (*held)->size(), let_go, held)};
    return {slices.data(), slices.size()};
}

}  // namespace kaname::service
