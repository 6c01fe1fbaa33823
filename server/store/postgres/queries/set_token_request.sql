-- SPDX-License-Identifier: BSD-3-Clause
update token set request = $2 where sha256 = $1
