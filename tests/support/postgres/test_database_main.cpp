// SPDX-License-Identifier: BSD-3-Clause
// kaname-test-database KEPT DATA: copy_cluster_template for scripts.
#include <exception>
#include <iostream>

#include "tests/support/postgres/cluster_template.hpp"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: kaname-test-database KEPT DATA\n";
        return 2;
    }
    try {
        kaname::support::copy_cluster_template(argv[1], argv[2]);
    } catch (const std::exception& error) {
        std::cerr << "kaname-test-database: " << error.what() << "\n";
        return 1;
    }
    return 0;
}
