package org.tpubootd.health;

import java.io.IOException;

/** One address of the endpoint. Pages are asked by many threads at once. */
@FunctionalInterface
interface Page {

  /**
   * What the client wants to know beyond the address.
   *
   * @param verbose whether the query says {@code verbose}, with any value, as Kubernetes has it
   * @param accept the Accept header; empty where there is none
   */
  record Question(boolean verbose, String accept) {}

  Answer answer(Question question) throws IOException;
}
