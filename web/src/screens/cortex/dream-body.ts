/** A dream without the heading that repeats its title, which stands above it. */
export function bodyOf(content: string, title: string | undefined): string {
  const heading = /^\s*# (.*)\r?\n/.exec(content);
  return heading && title && heading[1]?.trim() === title.trim() ? content.slice(heading[0].length) : content;
}
