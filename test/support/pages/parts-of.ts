/** The parts of a body, each as it was written, from a service in the same process. */
export async function partsOf({ body }: Response): Promise<readonly string[]> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  for await (const part of body ?? []) parts.push(decoder.decode(part, { stream: true }))
  return parts
}
