import { BlockList, isIP } from 'node:net'

/** IP addresses, however they are written: `::1` is `0:0:0:0:0:0:0:1`, and `::ffff:127.0.0.1` is `127.0.0.1`. */
export class AddressList {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  constructor(addresses: readonly string[]) {
    for (const address of addresses) this.#list.addAddress(address, familyOf(address))
    this.#isEmpty = addresses.length === 0
  }

  has(address: string): boolean {
    return !this.#isEmpty && this.#list.check(address, familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
