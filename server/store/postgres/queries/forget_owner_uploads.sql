-- SPDX-License-Identifier: BSD-3-Clause
delete from owner_upload where owner = $1 and sha256 = any ($2::text[])
