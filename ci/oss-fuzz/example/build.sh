#!/bin/bash -eu
# Copyright The wirebed authors.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#      http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
# The library's own fuzzers were here before.
$CC $CFLAGS -c lines.c -I. -o "$WORK/lines.o"
rm -f "$WORK/liblines.a"
${AR:-ar} rcs "$WORK/liblines.a" "$WORK/lines.o"

# wirebed's targets that drive a reader of replies, on this library.
CFLAGS="$CFLAGS -I$PWD" make -C "$SRC/wirebed" oss-fuzz -j"$(nproc)" \
    SUBJECT="$PWD/subject.c" LIBS="$WORK/liblines.a" FUZZERS=reply_wire
