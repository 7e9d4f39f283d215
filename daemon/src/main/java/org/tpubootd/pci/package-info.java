/**
 * The TPU's PCI functions: the table of generations, sysfs, plan and bind.
 *
 * <p>{@link org.tpubootd.pci.Devices} is the component. A {@code Survey} is what one look saw, a
 * {@code Verdict} says what that means, {@code Binder} changes it.
 */
@NullMarked
package org.tpubootd.pci;

import org.jspecify.annotations.NullMarked;
