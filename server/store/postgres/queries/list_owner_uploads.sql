-- SPDX-License-Identifier: BSD-3-Clause
select sha256, bytes from owner_upload where owner = $1 order by sha256
