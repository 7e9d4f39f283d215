package org.tpubootd.env;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the hosts of a slice lie, and the chips of each host.
 *
 * @param hosts empty where it is not given and does not follow from what is
 * @param chips the same, of one host
 */
record SliceShape(Optional<Bounds> hosts, Optional<Bounds> chips) {

  /**
   * Fills in what follows from the rest, and nothing else: topology = hosts x chips in each
   * dimension; the chips of one host lie in one way for each number; some generations have hosts of
   * four chips only. The shape of a v3-32, say, does not follow from anything.
   *
   * @param listed number of workers that the metadata server lists; empty where it lists none
   */
  SliceShape completed(
      Optional<Bounds> topology, Optional<AcceleratorType> type, OptionalLong listed) {
    OptionalLong total =
        topology.isPresent()
            ? OptionalLong.of(topology.get().size())
            : type.map(AcceleratorType::chips).orElse(OptionalLong.empty());
    if (total.isEmpty() || (hosts.isPresent() && chips.isPresent())) {
      return this;
    }
    Optional<Bounds> chips = this.chips.or(() -> chips(topology, type, listed, total.getAsLong()));
    Optional<Bounds> hosts =
        this.hosts.or(() -> chips.flatMap(one -> hosts(topology, one, total.getAsLong())));
    return new SliceShape(hosts, chips);
  }

  private Optional<Bounds> chips(
      Optional<Bounds> topology, Optional<AcceleratorType> type, OptionalLong listed, long total) {
    if (hosts.isPresent() && topology.isPresent()) {
      // Only where it is how chips can lie: otherwise the two contradict each other.
      return topology
          .get()
          .dividedBy(hosts.get())
          .filter(one -> Bounds.chipsOfOneHost(one.size()).equals(Optional.of(one)));
    }
    long count;
    if (hosts.isPresent()) {
      count = hosts.get().size();
    } else if (type.map(AcceleratorType::hasFourChipHostsOnly).orElse(false)) {
      return total % 4 == 0 ? Bounds.chipsOfOneHost(4) : Optional.empty();
    } else if (listed.isPresent()) {
      count = listed.getAsLong();
    } else {
      return Optional.empty();
    }
    return total % count == 0 ? Bounds.chipsOfOneHost(total / count) : Optional.empty();
  }

  private static Optional<Bounds> hosts(Optional<Bounds> topology, Bounds chips, long total) {
    if (total == chips.size()) {
      return Optional.of(Bounds.ONE);
    }
    return topology.flatMap(whole -> whole.dividedBy(chips));
  }
}
