;; What surrounds every module: the usual forms as macros, and the usual functions over lists. It is evaluated in an
;; engine that has the primitives of the allow-list and nothing else, before a module's own code.
;; A name that begins with #% cannot be written in a module.

;; ---- forms

(define-syntax and
  (syntax-rules ()
    [(and) #t]
    [(and test) test]
    [(and test more ...) (if test (and more ...) #f)]))

(define-syntax or
  (syntax-rules ()
    [(or) #f]
    [(or test) test]
    [(or test more ...) (let ([value test]) (if value value (or more ...)))]))

(define-syntax when
  (syntax-rules ()
    [(when test body ...) (if test (begin body ...) void)]))

(define-syntax unless
  (syntax-rules ()
    [(unless test body ...) (if test void (begin body ...))]))

(define-syntax cond
  (syntax-rules (else =>)
    [(cond) void]
    [(cond [else body ...]) (begin body ...)]
    [(cond [test => receiver] clause ...)
     (let ([value test]) (if value (receiver value) (cond clause ...)))]
    [(cond [test] clause ...) (or test (cond clause ...))]
    [(cond [test body ...] clause ...) (if test (begin body ...) (cond clause ...))]))

(define-syntax case
  (syntax-rules (else)
    [(case (form ...) clause ...) (let ([key (form ...)]) (case key clause ...))]
    [(case key) void]
    [(case key [else body ...]) (begin body ...)]
    [(case key [(datum ...) body ...] clause ...)
     (if (member key '(datum ...)) (begin body ...) (case key clause ...))]))

(define-syntax let*
  (syntax-rules ()
    [(let* () body ...) (let () body ...)]
    [(let* ([name value] more ...) body ...) (let ([name value]) (let* (more ...) body ...))]))

(define-syntax #%define-all
  (syntax-rules ()
    [(#%define-all () body ...) (begin body ...)]
    [(#%define-all ([name value] more ...) body ...)
     (begin (define name value) (#%define-all (more ...) body ...))]))

(define-syntax letrec
  (syntax-rules ()
    [(letrec bindings body ...) ((lambda () (#%define-all bindings body ...)))]))

(define-syntax letrec*
  (syntax-rules ()
    [(letrec* bindings body ...) ((lambda () (#%define-all bindings body ...)))]))

(define-syntax quasiquote
  (syntax-rules (#%unquote #%unquote-splicing)
    [(quasiquote (#%unquote value)) value]
    [(quasiquote ((#%unquote-splicing values) more ...)) (append values (quasiquote (more ...)))]
    [(quasiquote (one more ...)) (cons (quasiquote one) (quasiquote (more ...)))]
    [(quasiquote value) (quote value)]))

;; ---- lists

(define (caar pair) (car (car pair)))
(define (cadr pair) (car (cdr pair)))
(define (cdar pair) (cdr (car pair)))
(define (cddr pair) (cdr (cdr pair)))
(define (caddr pair) (car (cdr (cdr pair))))

;; What is left of a list without its first items; the engine's own counts for ever where it is asked for less than none.
(define (list-drop items count)
  (if (< count 1) items (list-tail items count)))

;; A function of the engine's own is applied there; it gives no list where the function is a module's.
(define (#%map-one function items)
  (let ([mapped (#%map-native function items)])
    (if (list? mapped)
        mapped
        (let loop ([items items] [done '()])
          (if (null? items)
              (reverse done)
              (loop (cdr items) (cons (function (car items)) done)))))))

(define (#%any-null? lists)
  (if (null? lists) #f (if (null? (car lists)) #t (#%any-null? (cdr lists)))))

;; The results of a function for each item, in order; with several lists, until the shortest ends.
(define (map function items . more)
  (if (null? more)
      (#%map-one function items)
      (let loop ([lists (cons items more)] [done '()])
        (if (#%any-null? lists)
            (reverse done)
            (loop (#%map-one cdr lists) (cons (apply function (#%map-one car lists)) done))))))

(define (for-each function items)
  (if (null? items)
      void
      (begin (function (car items)) (for-each function (cdr items)))))

;; The items for which a test holds, in order.
(define (filter test items)
  (let loop ([items items] [kept '()])
    (if (null? items)
        (reverse kept)
        (loop (cdr items) (if (test (car items)) (cons (car items) kept) kept)))))

;; (function item so-far) for each item from the left.
(define (fold function start items)
  (if (null? items) start (fold function (function (car items) start) (cdr items))))
(define (foldl function start items) (fold function start items))
(define (foldr function start items) (fold function start (reverse items)))

(define (any test items)
  (if (null? items) #f (let ([found (test (car items))]) (if found found (any test (cdr items))))))
(define (every test items)
  (if (null? items) #t (if (test (car items)) (every test (cdr items)) #f)))
;; The first item for which a test holds, else #f.
(define (find test items)
  (if (null? items) #f (if (test (car items)) (car items) (find test (cdr items)))))

;; The first pair of a list whose car is the key, else #f.
(define (assoc key pairs) (find (lambda (pair) (equal? (car pair) key)) pairs))
(define (assq key pairs) (find (lambda (pair) (eq? (car pair) key)) pairs))
(define (assv key pairs) (assoc key pairs))

(define (vector->list vector)
  (#%map-one (lambda (place) (vector-ref vector place)) (range 0 (vector-length vector))))

;; ---- numbers

(define (add1 number) (+ number 1))
(define (sub1 number) (- number 1))
(define (max first . more) (fold (lambda (one best) (if (> one best) one best)) first more))
(define (min first . more) (fold (lambda (one best) (if (< one best) one best)) first more))
(define (sum numbers) (fold + 0 numbers))

;; ---- sorting: both are stable, so that what is equal keeps its order

;; By what a function gives for each item, a number; the greatest first.
(define (sort-by-descending key items) (#%sort-descending (#%map-one key items) items))

(define (#%merge left right before?)
  (let loop ([left left] [right right] [done '()])
    (cond
      [(null? left) (append (reverse done) right)]
      [(null? right) (append (reverse done) left)]
      [(before? (car right) (car left)) (loop left (cdr right) (cons (car right) done))]
      [else (loop (cdr left) right (cons (car left) done))])))

;; By a function that says whether one item stands before another.
(define (sort items before?)
  (let ([count (length items)])
    (if (< count 2)
        items
        (let ([half (quotient count 2)])
          (#%merge (sort (take items half) before?) (sort (list-drop items half) before?) before?)))))

;; ---- maps: in the order of their keys, the same in every run

(define (hash-keys->list map) (#%sort-keys (#%hash-keys map)))
(define (hash-values->list map) (#%map-one (lambda (key) (hash-ref map key)) (hash-keys->list map)))
(define (hash->list map)
  (#%map-one (lambda (key) (cons key (hash-ref map key))) (hash-keys->list map)))
