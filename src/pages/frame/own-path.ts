/** Whether an address is a path of this service, and not on another host. */
export function isOwnPath(address: string, root: string): boolean {
  return address.startsWith(root) && !/^\/[/\\]/.test(address) && !/[\p{Cc}]/u.test(address)
}
