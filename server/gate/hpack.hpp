// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct nghttp2_hd_inflater;

namespace kaname::gate {

struct Field {
    std::string name, value;
    /// Bytes as HPACK and HTTP/2 count them.
    [[nodiscard]] std::size_t size() const { return name.size() + value.size() + 32; }
};

/// Decodes the header blocks of one connection, in their order (HPACK, RFC 7541), with a table of
/// 4,096 bytes at most, by libnghttp2.
class HeaderDecoder {
public:
    /// Throws Exhausted without memory.
    HeaderDecoder();

    /// Returns the fields of a complete block. Throws InvalidArgument for what is no header block,
    /// and Exhausted when the fields count more than `most` bytes; the decoder is of no use then.
    [[nodiscard]] std::vector<Field> decode(std::string_view block, std::size_t most);

private:
    struct Delete {
        void operator()(nghttp2_hd_inflater* inflater) const;
    };
    std::unique_ptr<nghttp2_hd_inflater, Delete> inflater_;
};

}  // namespace kaname::gate
