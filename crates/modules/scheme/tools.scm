;; The tools module: tools that the agent made for itself. This one declares none.
;;
;; You call (deftool name description schema effect body) for each, at most 64:
;;   name          "namespace.verb", lower case letters, digits and _, such as "recipes.scale"
;;   description   what a mind reads of it before it calls it
;;   schema        the JSON schema of its arguments, as a text: "{\"type\": \"object\", ...}"
;;   effect        'read changes nothing, 'state changes what Abide knows, 'world changes something outside
;;   body          (lambda (arguments) ...): arguments is a map from texts to values
;; and the body gives a text, a number, a list or a map.
;;
;; Within a body, (call-tool name arguments) asks the keeper for another tool, at most 16 times; only tools that the agent
;; may call anyway, each written down as always.
;;
;; (deftool "numbers.double"
;;          "Doubles a number."
;;          "{\"type\": \"object\", \"properties\": {\"number\": {\"type\": \"number\"}}, \"required\": [\"number\"]}"
;;          'read
;;          (lambda (arguments) (hash "doubled" (* 2 (hash-ref arguments "number")))))
