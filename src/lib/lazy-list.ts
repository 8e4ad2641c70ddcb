/** A list whose items are made each time they are read, so that unread ones cost nothing. */
export class LazyList<Item> implements Iterable<Item> {
  readonly length: number
  readonly #make: (place: number) => Item | undefined

  /** `make` returns the item at an index, from 0; it is called only for indexes of the list. */
  constructor(length: number, make: (place: number) => Item | undefined) {
    this.length = length
    this.#make = make
  }

  /** Items that are there already. */
  static of<Item>(items: readonly Item[]): LazyList<Item> {
    return new LazyList(items.length, (place) => items[place])
  }

  at(place: number): Item | undefined {
    return place >= 0 && place < this.length ? this.#make(place) : undefined
  }

  slice(start: number, end = this.length): readonly Item[] {
    return [...this.#between(start, Math.min(end, this.length))]
  }

  map<Result>(change: (item: Item) => Result): LazyList<Result> {
    return new LazyList(this.length, (place) => {
      const item = this.#make(place)
      return item === undefined ? undefined : change(item)
    })
  }

  [Symbol.iterator](): Iterator<Item, void> {
    return this.#between(0, this.length)
  }

  *#between(start: number, end: number): Generator<Item, void> {
    for (let place = start; place < end; place += 1) {
      const item = this.#make(place)
      if (item !== undefined) yield item
    }
  }
}
