/** The command line: one class a verb. */
@NullMarked
package org.tpubootd.cli;

import org.jspecify.annotations.NullMarked;
