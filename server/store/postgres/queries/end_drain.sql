-- SPDX-License-Identifier: BSD-3-Clause
delete from drain where kind = $1 and value = $2
returning 1
