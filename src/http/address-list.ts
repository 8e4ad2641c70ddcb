import { BlockList, isIP } from 'node:net'

/**
 * IP addresses, and networks such as `10.0.0.0/8`, however they are written: `::1` is
 * `0:0:0:0:0:0:0:1`, and `::ffff:127.0.0.1` is `127.0.0.1`.
 */
export class AddressList {
  readonly #list = new BlockList()
  readonly #isEmpty: boolean

  constructor(texts: readonly string[]) {
    for (const text of texts) {
      const [address = '', length] = text.split('/')
      if (length === undefined) this.#list.addAddress(address, familyOf(address))
      else this.#list.addSubnet(address, Number(length), familyOf(address))
    }
    this.#isEmpty = texts.length === 0
  }

  has(address: string): boolean {
    return !this.#isEmpty && this.#list.check(address, familyOf(address))
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
