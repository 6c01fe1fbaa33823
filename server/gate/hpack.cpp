// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/hpack.hpp"

#include <cstdint>

#include <nghttp2/nghttp2.h>

#include "solvers/base/error.hpp"

namespace kaname::gate {
namespace {

std::string bytes_of(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

void HeaderDecoder::Delete::operator()(nghttp2_hd_inflater* inflater) const {
    nghttp2_hd_inflate_del(inflater);
}

HeaderDecoder::HeaderDecoder() {
    nghttp2_hd_inflater* inflater = nullptr;
    if (nghttp2_hd_inflate_new(&inflater) != 0) {
        throw Error(ErrorCode::Exhausted, "header block: no memory for its table");
    }
    inflater_.reset(inflater);
}

std::vector<Field> HeaderDecoder::decode(std::string_view block, std::size_t most) {
    std::vector<Field> fields;
    std::size_t bytes = 0;
    const auto* in = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (int flags = 0; (flags & NGHTTP2_HD_INFLATE_FINAL) == 0;) {
        nghttp2_nv field = {};
        flags = NGHTTP2_HD_INFLATE_NONE;
        constexpr int kWhole = 1;
        const ssize_t read =
            nghttp2_hd_inflate_hd2(inflater_.get(), &field, &flags, in, left, kWhole);
        if (read < 0) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string("header block: ") + nghttp2_strerror(static_cast<int>(read)));
        }
        in += read;
        left -= static_cast<std::size_t>(read);
        if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
            fields.push_back(
                {bytes_of(field.name, field.namelen), bytes_of(field.value, field.valuelen)});
            bytes += fields.back().size();
            if (bytes > most) {
                throw Error(ErrorCode::Exhausted,
                            "header block: must count at most " + std::to_string(most) + " bytes");
            }
        }
    }
    nghttp2_hd_inflate_end_headers(inflater_.get());
    return fields;
}

}  // namespace kaname::gate
