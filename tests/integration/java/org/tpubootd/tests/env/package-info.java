/** The files of the room env, read by the programs that they are for. */
@NullMarked
package org.tpubootd.tests.env;

import org.jspecify.annotations.NullMarked;
