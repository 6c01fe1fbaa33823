// SPDX-License-Identifier: BSD-3-Clause
#include "proto/spec/form/rules.hpp"

#include <google/protobuf/descriptor.h>

namespace kaname::spec {

bool is_name(const std::string& name) {
    constexpr std::size_t kMaxNameLength = 63;
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    return !name.empty() && name.size() <= kMaxNameLength && plain(name[0]) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return plain(c) || c == '-'; });
}

void every_number_finite(const google::protobuf::Message& message, const std::string& path,
                         Rules& rules) {
    using google::protobuf::FieldDescriptor;
    const google::protobuf::Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const std::string name = path.empty() ? field->name() : path + "." + field->name();
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int index = 0; index < count; ++index) {
            const bool list = field->is_repeated();
            const std::string here = list ? element(name, index) : name;
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
                every_number_finite(list ? reflection.GetRepeatedMessage(message, field, index)
                                         : reflection.GetMessage(message, field),
                                    here, rules);
            } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) {
                const double value = list ? reflection.GetRepeatedDouble(message, field, index)
                                          : reflection.GetDouble(message, field);
                if (!std::isfinite(value)) {
                    rules.fail(here, "must be finite, got " + show(value));
                }
            } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM && !list) {
                const int number = reflection.GetEnumValue(message, field);
                if (field->enum_type()->FindValueByNumber(number) == nullptr) {
                    rules.fail(here, "has no value of number " + std::to_string(number));
                }
            }
        }
    }
}

}  // namespace kaname::spec
