/**
 * The idea of the program: a component makes one pass, a pass gives a condition, the board shows
 * it. Knows nothing of TPUs, files or HTTP.
 */
@NullMarked
package org.tpubootd.core;

import org.jspecify.annotations.NullMarked;
