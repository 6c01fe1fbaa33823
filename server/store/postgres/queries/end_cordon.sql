-- SPDX-License-Identifier: BSD-3-Clause
-- $1 kind, $2 value
delete from cordon where kind = $1 and value = $2
returning 1
