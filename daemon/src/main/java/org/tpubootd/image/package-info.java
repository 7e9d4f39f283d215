/**
 * Checks of a tree of files, by themselves: is it a TPU image? One concern a class. Changes nothing
 * and asks nobody: no daemon, engine, metadata server or network.
 */
@NullMarked
package org.tpubootd.image;

import org.jspecify.annotations.NullMarked;
