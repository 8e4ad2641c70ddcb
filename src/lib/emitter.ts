/** Calls listeners in the order of their subscription. */
export class Emitter<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>()

  /** Subscribes the listener. Returns a function that unsubscribes it. */
  on(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Errors of a listener go to the caller. */
  emit(...args: Args): void {
    for (const listener of this.#listeners) listener(...args)
  }
}
