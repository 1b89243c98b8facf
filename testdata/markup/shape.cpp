int shape_count = 3;
static int bias[8] = {1, 2, 3};
typedef void (*hook)(const char *, void *, void *);
namespace geo {
struct Shape { int area(int k, hook h); };
static inline __attribute__((always_inline)) int leaf(int k, hook h) {
  h("leaf", (void *)&bias[2], __builtin_return_address(0));
  return k * bias[k & 7];
}
static inline __attribute__((always_inline)) int middle(int k, hook h) {
  return leaf(k + 1, h) + 2;
}
__attribute__((noinline)) int Shape::area(int k, hook h) {
  return middle(k, h) + shape_count;
}
}
extern "C" __attribute__((noinline)) int shape_entry(int x, hook h) {
  geo::Shape s;
  return s.area(x, h) * 2;
}
